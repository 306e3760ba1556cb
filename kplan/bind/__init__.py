"""Binding: the only code that writes to an API server, and only what was shown.

The way of a command, and which modules it leads through:

    flow        plan, show, ask, write, plan again what was held back (``plan/command``: what is asked for)
    workbench   state, rules and server: from there to a plan and to a run
    plan/
      targets     which pods are meant; ``manifests``: what of ``-f`` is there, what is created, which pods follow
      show        which pods would be bound where (``profiles``: what keeps kplan from binding for a profile)
      document    of the plan, held against ``guards``, ``rights``, ``rules`` and ``flags``
    run/
      run         one run over a plan: ``resuming``, ``rehearsal``, ``creating``, then the pods; ``results``
      arrivals    pods that controllers make, each taken for a planned one
      live        the columns, following the server by ``watch``, with what is assumed on top
      cycle       one pod: ``reread``, ``evict``, assume and reserve, ``prebind``, bind
      perform     one request: dry run, ``journal`` (read back by ``record``), send, ask what came of it
    wire/
      writes      every request bind knows (``updates``: those of plugins; ``events``), and what asks if it happened
      client      requests, each wait of which ``stop`` can end; ``identity``, ``leases``

``run`` may know ``plan``, and both know ``wire``, which knows neither.
"""
