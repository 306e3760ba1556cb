"""What ``kplan bind`` is asked for, and which of it goes together."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from kplan.bind.plan.targets import Targets
from kplan.errors import UsageError


class CommandLine(Struct, frozen=True):
    """What is asked for.

    Attributes:
        targets: which pods; beside a plan or a journal, where its manifests are now.
        plan: name of a plan that was saved; empty for none.
        save_plan: where to save what is shown; empty for nowhere.
        resume: name of the journal of a run that stopped; empty for none.
        apply: write what was shown.
        server_dry_run: let the server try the writes before anything is asked.
        journal: where to keep the journal; empty for a name with the time.
        replan: plan again what was held back.
    """

    targets: Targets
    plan: str = ""
    save_plan: str = ""
    resume: str = ""
    apply: bool = False
    server_dry_run: bool = False
    journal: str = ""
    replan: bool = False

    def check(self, snapshot: str) -> None:
        """Refuse a command that names no target, two of them, or a snapshot to write to.

        Args:
            snapshot: name of the file or folder that is read instead of a cluster; empty for none.

        Raises:
            UsageError: it does.
        """
        before = bool(self.plan or self.resume)
        named = self.targets.any if not before else replace(self.targets, files=()).any
        if not (named or before):
            raise UsageError(
                "bind needs a target",
                code="no-target",
                hint="name it: POD..., -l, -n NAMESPACE, -A, -f FILE or --plan FILE",
            )
        if named + bool(self.plan) + bool(self.resume) > 1:
            raise UsageError(
                "bind takes one target", code="two-targets", hint="pods, or --plan FILE, or --resume JOURNAL"
            )
        if self.targets.scope.selector is not None and (self.targets.names or self.targets.files):
            raise UsageError(
                "-l chooses among the pods of namespaces, not among named ones or those of manifests",
                code="two-targets",
                hint="leave it out, or name no pods and no files",
            )
        if snapshot and (self.apply or self.resume or self.plan):
            raise UsageError(
                "a snapshot can be shown, not written to",
                code="snapshot-apply",
                hint="--save-plan FILE here; then, in the cluster it was taken of: kplan bind --plan FILE --apply",
            )
        if snapshot and self.server_dry_run:
            raise UsageError(
                "--server-dry-run asks a server, and a snapshot has none", code="snapshot-apply", hint="leave one out"
            )
        more = {
            "--save-plan": self.save_plan,
            "--journal": self.journal,
            "--replan": self.replan,
            "--server-dry-run": self.server_dry_run,
        }
        for flag in (flag for flag, given in more.items() if given and self.resume):
            raise UsageError(
                f"{flag} has no effect on a resumed run, which follows the plan in its journal",
                code="resume-flag",
                hint="leave it out",
            )
