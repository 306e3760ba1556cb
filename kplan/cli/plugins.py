"""``kplan plugins``: what each plugin checks, rejects with, and what of it is not modelled."""

from __future__ import annotations

from typing import Annotated

import typer

from kplan.cli import options
from kplan.cli.options import Shown
from kplan.cli.output import write


def plugins(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One plugin, in full.")] = "",
    k8s_version: options.K8sVersion = "",
    *,
    shown: Shown,
) -> None:
    """Say what each plugin of the scheduler checks, and with which words it refuses."""
    from kplan.api import Scheduler
    from kplan.render.text.plugins import plugins as lay_out
    from kplan.result.document_base import API_VERSION
    from kplan.result.document_plugins import PluginReference
    from kplan.studies.plugin_texts import plugin_text, plugin_texts

    pipeline = next(iter(Scheduler.of(k8s_version).pipelines.values()))
    texts = (plugin_text(name, pipeline),) if name else plugin_texts(pipeline)
    document = PluginReference(api_version=API_VERSION, plugins=texts)
    write(document, lay_out, shown)
