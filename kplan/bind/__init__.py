"""Binding: the only code that writes to an API server, and only what was shown.

The way of a command, and which modules it leads through:

    flow        plan, show, ask, write, plan again what was held back
    workbench   state, rules and server: from there to a plan and to a run
      manifests   what of ``-f`` is there, what is created, which pods follow (``resources``, ``same``)
      show        which pods would be bound where (``profiles``: what keeps kplan from binding for a profile)
      plan        the document of it, held against ``guards`` (``identity``, ``leases``, ``rights``) and ``flags``
    run         one run over a plan: ``rehearsal`` first, then ``creating``, then the pods; ``results``
      arrivals    pods that controllers make, each taken for a planned one
      live        the columns, following the server by ``watch``, with what is assumed on top
      cycle       one pod: ``reread``, ``evict``, assume and reserve, ``prebind``, bind, ``events``
    perform     one write of ``writes`` or ``updates``: dry run, ``journal``, send, ask what came of it
    client      requests, each wait of which ``stop`` can end

``run`` may know ``plan``, and both know ``wire``, which knows neither.
"""
