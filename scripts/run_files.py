"""Reads what a training run leaves behind, by docs/formats.md alone, and says where two runs differ.

Used by scripts/kill-runs and scripts/starve-runs. Nothing here shares code with the program: a fault of its
writer and its reader alike would still be seen.
"""

import json
import struct

# Fields of JSON documents that tell times, speeds and memory, which no two runs have in common.
UNREPEATABLE = ("second", "resident", "allocated", "threads", "open_files")


class Broken(Exception):
    """A file that is not what the format says."""


def _crc_table():
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return table


_CRC = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _CRC[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def unframed(data, magic, path):
    """The payload of a framed file's bytes, every field of the frame checked; messages name the path."""
    if data[:8] != magic or len(data) < 24:
        raise Broken(f"{path}: does not start with {magic.decode()} or is too short")
    (length,) = struct.unpack_from("<Q", data, 12)
    if length != len(data) - 24:
        raise Broken(f"{path}: should hold {length} bytes of payload and holds {len(data) - 24}")
    if struct.unpack_from("<I", data, len(data) - 4)[0] != crc32c(data[:-4]):
        raise Broken(f"{path}: the checksum does not match")
    return data[20:-4]


def read_checkpoint(path):
    return parse_checkpoint(path.read_bytes(), path)


def parse_checkpoint(data, path):
    """(manifest, {tensor name: (dtype, shape, bytes)})"""
    payload = unframed(data, b"PAHTUMCK", path)
    (header_length,) = struct.unpack_from("<Q", payload)
    header = json.loads(payload[8:8 + header_length])
    data = payload[8 + header_length:]
    tensors = {}
    for tensor in header["tensors"]:
        begin, end = tensor["offset"], tensor["offset"] + tensor["length"]
        if end > len(data):
            raise Broken(f"{path}: {tensor['name']} lies behind the end")
        tensors[tensor["name"]] = (tensor["dtype"], tuple(tensor["shape"]), data[begin:end])
    return header["manifest"], tensors


def read_rows(path):
    """The whole rows of a metrics.jsonl; a last line cut short is passed over."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


def _varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def _event(data):
    """(step, has a summary, starts a session) of one TensorBoard event."""
    step, summary, session, at = 0, False, False, 0
    while at < len(data):
        key, at = _varint(data, at)
        field, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at)
            if field == 2:
                step = value
        elif kind == 2:
            length, at = _varint(data, at)
            at += length
            summary |= field == 5
            session |= field == 7
        else:
            at += {1: 8, 5: 4}[kind]
    return step, summary, session


def event_steps(run):
    """The steps that a reader of the run's event files shows, in order: what lies behind the beginning of a
    later session is void."""
    steps = []
    for path in sorted(run.glob("events.out.tfevents.*")):
        data, at = path.read_bytes(), 0
        while at + 12 <= len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            if at + 16 + length > len(data):
                break  # cut short by a kill
            step, summary, session = _event(data[at + 12:at + 12 + length])
            if session:
                steps = [old for old in steps if old < step]
            if summary:
                steps.append(step)
            at += 16 + length
    return steps


def repeatable(value):
    """A JSON value without its times, speeds and memory."""
    if isinstance(value, dict):
        return {key: repeatable(part) for key, part in value.items()
                if not any(word in key for word in UNREPEATABLE)}
    if isinstance(value, list):
        return [repeatable(part) for part in value]
    return value


def json_differences(a, b, place=""):
    """Yields where two JSON values differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            if key not in a or key not in b:
                yield f"{place}.{key} is missing in one"
            else:
                yield from json_differences(a[key], b[key], f"{place}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, (left, right) in enumerate(zip(a, b)):
            yield from json_differences(left, right, f"{place}[{index}]")
    elif isinstance(a, list) and isinstance(b, list):
        yield f"{place} has {len(b)} entries instead of {len(a)}"
    elif a != b:
        yield f"{place} is {json.dumps(b)[:80]} instead of {json.dumps(a)[:80]}"


def timeless(manifest):
    """The manifest without the seconds that its iteration has taken so far."""
    counters = dict(manifest.get("counters", {}))
    metrics = counters.get("metrics", {})
    counters["metrics"] = {key: value for key, value in metrics.items() if not key.endswith("_seconds")}
    return {**manifest, "counters": counters}


def checkpoint_differences(want, got):
    """Yields where two checkpoints, as read_checkpoint gives them, differ in anything but time."""
    yield from json_differences(timeless(want[0]), timeless(got[0]), "manifest")
    for name in sorted(want[1].keys() | got[1].keys()):
        if want[1].get(name) != got[1].get(name):
            yield f"tensor {name}"


def checkpoint_path(run, number):
    return run / "checkpoints" / f"{number:06}.ckpt"


def games_path(run, number):
    return run / "games" / f"{number:06}.games"


def numbers(folder, ending):
    """The numbers of the files NNNNNN.ENDING of a folder, ascending."""
    return sorted(int(path.stem) for path in folder.glob(f"*.{ending}") if path.stem.isdigit())


def row_differences(want, got, upto):
    """Yields where the rows of iterations 1 to `upto` of two metrics.jsonl differ."""
    want = {row["iteration"]: row for row in want}
    seen = [row["iteration"] for row in got]
    if seen != sorted(set(seen)):
        yield f"metrics.jsonl: iterations come in the order {seen}"
    got = {row["iteration"]: row for row in got}
    for iteration in range(1, upto + 1):
        if iteration not in got:
            yield f"metrics.jsonl: the row of iteration {iteration} is missing"
        else:
            for difference in json_differences(repeatable(want[iteration]), repeatable(got[iteration])):
                yield f"metrics.jsonl: iteration {iteration}: {difference[1:]}"


def temporary_files(run):
    return sorted(path for path in run.rglob("*.tmp"))


def run_differences(want, got):
    """Yields where two finished runs differ: in all that is no time, speed or memory."""
    last = numbers(want / "checkpoints", "ckpt")
    if numbers(got / "checkpoints", "ckpt") != last:
        yield f"checkpoints: {numbers(got / 'checkpoints', 'ckpt')} instead of {last}"
    try:
        for difference in checkpoint_differences(read_checkpoint(checkpoint_path(want, last[-1])),
                                                 read_checkpoint(checkpoint_path(got, last[-1]))):
            yield f"final checkpoint: {difference}"
    except (OSError, Broken) as fault:
        yield f"final checkpoint: {fault}"
    for number in numbers(want / "games", "games"):
        yield from file_differences(want, got, games_path(want, number).relative_to(want))
    yield from row_differences(read_rows(want / "metrics.jsonl"), read_rows(got / "metrics.jsonl"), last[-1])
    if event_steps(got) != event_steps(want):
        yield f"TensorBoard: steps {event_steps(got)} instead of {event_steps(want)}"
    for name in ("config.yaml", "version.txt", "games.txt"):
        yield from file_differences(want, got, name)
    for name in ("evaluation.json", "report.json"):
        yield from document_differences(want, got, name)
    if not (got / "report.html").exists():
        yield "report.html is missing"
    for path in temporary_files(got):
        yield f"{path.relative_to(got)} was left behind"


def file_differences(want, got, name):
    if not (want / name).exists():
        return
    if not (got / name).exists():
        yield f"{name} is missing"
    elif (want / name).read_bytes() != (got / name).read_bytes():
        yield f"{name} differs"


def document_differences(want, got, name):
    if not (want / name).exists():
        return
    if not (got / name).exists():
        yield f"{name} is missing"
        return
    documents = [repeatable(json.loads((run / name).read_text())) for run in (want, got)]
    for difference in json_differences(*documents):
        yield f"{name}: {difference[1:]}"
