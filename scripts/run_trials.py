"""A training process watched from outside, the uninterrupted run, and a run that is ill-treated: what
scripts/kill-runs and scripts/starve-runs share.
"""

import collections
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import run_files as files

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ("start-up", "self-play", "learning", "saving", "matches", "evaluation", "report")
SHOWN_FAULTS = 6  # of each run as they are seen
STARTED = "Ctrl-C saves"  # logged once everything is loaded
EVALUATES = re.compile(r"info \d+ pairs against ")


def say(text):
    print(f"{pathlib.Path(sys.argv[0]).name}: {text}", file=sys.stderr, flush=True)


def die(text):
    say(text)
    sys.exit(1)


class Training:
    """One process that trains in `run`, and what can be seen of it from outside."""

    def __init__(self, program, config, run):
        resumes = (run / "config.yaml").exists()
        request = ["--resume"] if resumes else [str(config)]
        self.run = run
        self.began = time.time()
        self.finds = files.temporary_files(run) if run.exists() else []
        self.log = open(run.with_suffix(".log"), "ab+")
        self.log.write(f"---- {' '.join(request)}\n".encode())
        self.log.flush()
        self.read = self.log.seek(0, os.SEEK_END)
        self.text = ""
        # Without spinning threads: they would wait for one another for most of the time on a busy machine.
        environment = dict(os.environ, OMP_WAIT_POLICY="PASSIVE", GOMP_SPINCOUNT="0")
        self.process = subprocess.Popen(
            [str(program), "train", *request, "--run", run.name], cwd=run.parent, env=environment,
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.log.close()

    def running(self):
        return self.process.poll() is None

    def output(self):
        data = os.pread(self.log.fileno(), 1 << 20, self.read)
        self.read += len(data)
        self.text += data.decode(errors="replace")
        return self.text

    def wrote(self, name):
        """Whether this process wrote RUN/NAME."""
        try:
            return (self.run / name).stat().st_mtime >= self.began
        except OSError:
            return False

    def stage(self):
        output = self.output()
        if STARTED not in output or not (self.run / "games").exists():
            return "start-up"
        if EVALUATES.search(output):
            parts = ("games.txt", "report.json", "report.html", "evaluation.json")
            return "report" if any(self.wrote(part + end) for part in parts for end in ("", ".tmp")) else "evaluation"
        for folder in ("checkpoints", "games"):
            if any(name.endswith(".tmp") for name in os.listdir(self.run / folder)):
                return "saving"
        newest = newest_checkpoint(self.run)
        if newest < 0:
            return "saving"
        if newest and self.wrote(f"checkpoints/{newest:06}.ckpt") and last_row(self.run) < newest:
            return "matches"
        return "learning" if files.games_path(self.run, newest + 1).exists() else "self-play"


def newest_checkpoint(run):
    return max(files.numbers(run / "checkpoints", "ckpt"), default=-1)


def last_row(run):
    try:
        found = re.findall(rb'"iteration":(\d+)', (run / "metrics.jsonl").read_bytes())
    except OSError:
        return 0
    return int(found[-1]) if found else 0


class Reference:
    """An uninterrupted run: what every other must equal, how long it takes, and every state it saved."""

    def __init__(self, program, config, folder):
        self.run = folder / "reference" / "run"
        self.saved = collections.defaultdict(list)  # iteration: the checkpoint's versions, oldest first
        self.stages = collections.Counter()  # seconds
        self.run.parent.mkdir()
        began = last = time.monotonic()
        with Training(program, config, self.run) as training:
            while training.running():
                self.keep_checkpoints()
                now = time.monotonic()
                self.stages[training.stage()] += now - last
                last = now
                time.sleep(0.001)
            if training.process.returncode != 0:
                die(f"the uninterrupted run failed:\n{training.output()}")
        self.seconds = time.monotonic() - began
        self.keep_checkpoints()
        self.rows = files.read_rows(self.run / "metrics.jsonl")

    def keep_checkpoints(self):
        """The run removes old ones, and saves the state after an iteration again after its match."""
        if not (self.run / "checkpoints").exists():
            return
        for number in files.numbers(self.run / "checkpoints", "ckpt"):
            data = None
            try:
                data = files.checkpoint_path(self.run, number).read_bytes()
            except FileNotFoundError:
                continue
            if data not in self.saved[number]:
                self.saved[number].append(data)


class Trial:
    """One run that is killed again and again, and what was wrong with it."""

    def __init__(self, options, reference, run):
        self.options, self.reference, self.run = options, reference, run
        self.newest = -1
        self.signalled = False  # whether its saves may lie between the scheduled ones
        self.faults = {}  # text: when
        self.kills = self.late_kills = 0
        run.parent.mkdir()

    def fault(self, text):
        if text in self.faults:
            return
        self.faults[text] = self.kills
        # Once a run has gone astray, all that follows differs as well.
        if len(self.faults) <= SHOWN_FAULTS:
            say(f"{self.run.parent.name}, after {self.kills} kills: {text}")

    def check_after_kill(self):
        """What is on disk just now, before anything mends it."""
        if not self.run.exists():
            return
        newest = newest_checkpoint(self.run)
        if newest < self.newest:
            self.fault(f"checkpoint {self.newest} was there and is gone; the newest is {newest}")
        self.newest = max(self.newest, newest)
        for number in files.numbers(self.run / "checkpoints", "ckpt"):
            self.check_checkpoint(number)
        if newest < 0:
            return
        kept = self.options.keep
        for number in range(max(0, newest - kept + 1), newest):
            if not files.checkpoint_path(self.run, number).exists():
                self.fault(f"checkpoint {number} is gone, of the {kept} to be kept up to {newest}")
        for number in range(1, newest + 1):
            for text in files.file_differences(self.reference.run, self.run, f"games/{number:06}.games"):
                self.fault(text)
        try:
            rows = files.read_rows(self.run / "metrics.jsonl")
            # The row of the newest iteration follows its checkpoint.
            for text in files.row_differences(self.reference.rows, rows, newest - 1):
                self.fault(text)
        except ValueError as error:
            self.fault(f"metrics.jsonl: {error}")
        if self.options.has_check:
            done = subprocess.run([str(self.options.program), "check", self.run.name], cwd=self.run.parent,
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0:
                self.fault(f"pahtum check: status {done.returncode}: {(done.stdout + done.stderr).strip()}")

    def check_checkpoint(self, number):
        path = files.checkpoint_path(self.run, number)
        data = path.read_bytes()
        wanted = self.reference.saved[number]
        if data in wanted:
            return
        try:
            manifest, tensors = files.parse_checkpoint(data, path)
        except (files.Broken, ValueError) as error:
            self.fault(f"checkpoint {number} is not whole: {error}")
            return
        best = None
        for version in wanted:
            reference = files.parse_checkpoint(version, path)
            if self.signalled:
                # A signal's save may lie anywhere in an iteration; its weights are the reference's at that step.
                if manifest["step"] != reference[0]["step"]:
                    return
                reference = (manifest, {name: tensor for name, tensor in reference[1].items()
                                        if not name.startswith("selfplay/")})
                tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("selfplay/")}
            differences = list(files.checkpoint_differences(reference, (manifest, tensors)))
            if best is None or len(differences) < len(best):
                best = differences
        for text in best or []:
            self.fault(f"checkpoint {number}: {text}")

    def check_after_start(self, training):
        """What the killed process left is gone once the next one trains; the evaluation's is written over."""
        if STARTED not in training.output():
            return
        for path in training.finds:
            old = path.exists() and path.stat().st_mtime < training.began
            if old and (path.parent != self.run or path.name.startswith(("config", "metrics", "version"))):
                self.fault(f"{path.relative_to(self.run)} of the killed process is still there")

    def check_end(self):
        for text in files.run_differences(self.reference.run, self.run):
            self.fault(f"at the end: {text}")


def add_options(parser):
    parser.add_argument("--config", type=pathlib.Path, default=ROOT / "tests/data/kill-runs.yaml", metavar="FILE",
                        help="a short run; tests/data/kill-runs.yaml unless said")
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/pahtum", metavar="FILE",
                        help="build/pahtum unless said")
    parser.add_argument("--folder", type=pathlib.Path, metavar="DIR",
                        help="where the runs lie, made anew; a temporary folder unless said")


def prepare(options):
    """Checks the program and the configuration, and returns the folder of the runs."""
    # So that a script told to end takes its process with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options.program, options.config = options.program.resolve(), options.config.resolve()
    if not options.program.exists():
        die(f"{options.program} is missing; run scripts/build first")
    shown = subprocess.run([str(options.program), "config", "show", str(options.config)], capture_output=True,
                           text=True, check=False)
    kept = re.search(r"keep_checkpoints: (\d+)", shown.stdout)
    if shown.returncode != 0 or not kept:
        die(f"{options.config} cannot be used: {shown.stderr}")
    options.keep = int(kept[1])
    listed = subprocess.run([str(options.program), "--help"], capture_output=True, text=True, check=False).stdout
    options.has_check = re.search(r"^ +check\b", listed, re.MULTILINE) is not None
    if options.folder:
        options.folder.mkdir(parents=True)
        return options.folder.resolve()
    return pathlib.Path(tempfile.mkdtemp(prefix="pahtum-runs-")).resolve()


def make_reference(options, folder):
    """Trains without interruption, twice: what is not repeatable could not be compared."""
    say(f"training without interruption, twice, in {folder}")
    reference = Reference(options.program, options.config, folder)
    twin = Trial(options, reference, folder / "twin" / "run")
    with Training(options.program, options.config, twin.run) as training:
        training.process.wait()
    twin.check_end()
    if twin.faults:
        die("two uninterrupted runs are not equal; nothing can be said of others")
    say(f"a run takes {reference.seconds:.1f} s: " +
        ", ".join(f"{stage} {reference.stages[stage]:.2f} s" for stage in STAGES))
    return reference
