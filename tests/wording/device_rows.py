"""Words of remedies about devices: one row for each kind of facts."""

from kplan.plugins.shared.devices.cel_edits import Edit
from kplan.remedies import about as a
from kplan.remedies import about_devices as d
from kplan.wording.remedies_table import Words

CLAIM = d.ClaimName("want", "ml")
MADE = d.ClaimName("p-gpu-x2b5z", "ml", "one-gpu")
LONG = 'device.attributes["gpu.example.com"].model == "a"'

DEVICE_ROWS: list[tuple[str, a.About, Words]] = [
    (
        "fewer-devices",
        d.FewerDevices(CLAIM, "r", "gpu", 1, 4),
        Words("1 of gpu in claim want (now 4)", failed="asking for 1 of gpu"),
    ),
    (
        "fewer-devices",
        d.FewerDevices(MADE, "r", "gpu", 3, 0),
        Words("3 of gpu in template one-gpu (now all)", failed="asking for 3 of gpu"),
    ),
    (
        "less-device-capacity",
        d.LessCapacity(CLAIM, "r", "memory", "10Gi", "20Gi"),
        Words("memory 10Gi in claim want (now 20Gi)"),
    ),
    ("less-device-capacity", d.LessCapacity(CLAIM, "r", "cores", "", "10"), Words("no cores in claim want (now 10)")),
    (
        "tolerate-device-taint",
        d.ToleratedDevices(CLAIM, "r", "broken=yes:NoSchedule"),
        Words(
            "tolerate device taint broken=yes in claim want", failed="tolerating device taint broken=yes in claim want"
        ),
    ),
    ("other-device-class", d.OtherClass(MADE, "r", "mig", "gpu"), Words("class mig in template one-gpu (now gpu)")),
    (
        "device-selector-value",
        d.OtherSelector(CLAIM, "r", "", (Edit("value", "memory", ">= 16Gi", ">= 40Gi"),), "..."),
        Words("selector of claim want: memory >= 16Gi (now >= 40Gi)"),
    ),
    (
        "device-selector-name",
        d.OtherSelector(CLAIM, "r", "gpu", (Edit("name", "modle", "model", "modle"),), "..."),
        Words("selector of class gpu: model in place of modle"),
    ),
    (
        "device-selector-guard",
        d.OtherSelector(CLAIM, "r", "", (Edit("guard", "model", 'has(device.attributes["x"].model)', ""),), "..."),
        Words("selector of claim want: only where model is there"),
    ),
    (
        "device-selector-part",
        d.OtherSelector(
            CLAIM, "r", "", (Edit("value", "gen", "2", "3"), Edit("part", "model", "", LONG)), "device.driver == 'a'"
        ),
        Words("selector of claim want: gen 2 (now 3), without what it asks of model"),
    ),
    (
        "drop-device-selector",
        d.NoSelector(CLAIM, "r", 'device.driver\n == "a"', "model T4"),
        Words(
            'claim want without selector device.driver == "a"',
            failed="dropping a selector of claim want",
            note="a device with model T4",
        ),
    ),
    (
        "drop-device-selector",
        d.NoSelector(CLAIM, "r", LONG),
        Words("claim want without selector", failed="dropping a selector of claim want"),
    ),
    ("drop-device-selector", d.NoSelector(MADE, "r", ""), Words("template one-gpu without its selectors")),
    (
        "drop-device-constraint",
        d.NoConstraint(CLAIM, "x.com/numa", distinct=True),
        Words("claim want without distinctAttribute x.com/numa", failed="dropping distinctAttribute x.com/numa"),
    ),
    (
        "free-device-claim",
        d.FreedClaims(("ml/old", "ml/older"), ("n/g0", "n/g1")),
        Words(
            "delete claims old, older, which no pod uses",
            failed="deleting claims old, older, which no pod uses",
            note="2 devices let go",
        ),
    ),
    ("new-device-claim", d.NewDeviceClaim(CLAIM, "gpu"), Words("create claim want for 1 of gpu")),
    ("own-device-claim", d.OwnClaim(CLAIM), Words("a claim of its own, like want")),
    (
        "device-taint-rule",
        d.TaintRule("gpu-7-out", "broken:NoExecute"),
        Words("delete DeviceTaintRule gpu-7-out", failed="deleting DeviceTaintRule gpu-7-out"),
    ),
]
