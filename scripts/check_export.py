#!/usr/bin/env python3
"""What scripts/check-export asks of the files it made: check_export.py [--torch] RUN..."""
import json
import pathlib
import sys

import numpy as np

TOLERANCE = 1e-4
HALF_TOLERANCE = 0.05
HEADS = ["policy", "wdl", "margin", "ownership"]
MARGIN_UNIT = 20.0  # points of an output of 1 of the margin head


def read_samples(path):
    """{name: array over all samples} of a file of `pahtum export --samples`."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    squares = len(rows[0]["ownership"])
    size = round(squares**0.5)
    samples = {name: np.array([row[name] for row in rows], np.float32) for name in HEADS}
    samples["planes"] = np.array([row["planes"] for row in rows], np.float32).reshape(len(rows), -1, size, size)
    samples["ownership"] = samples["ownership"].reshape(-1, size, size)
    samples["positions"] = [row["position"] for row in rows]
    samples["legal"] = [row["legal"] for row in rows]
    return samples


def differences(expected, outputs, count):
    found = {}
    for name, output in zip(HEADS, outputs):
        wanted = expected[name][:count]
        assert output.shape == wanted.shape and output.dtype == np.float32, (name, output.shape, output.dtype)
        unit = MARGIN_UNIT if name == "margin" else 1.0
        found[name] = float(np.abs(output - wanted).max()) / unit
    return found


def compare(what, expected, run, tolerance):
    """`run(planes)` gives the heads; in batches of one, three and all positions."""
    for count in (1, 3, len(expected["positions"])):
        found = differences(expected, run(expected["planes"][:count]), count)
        assert max(found.values()) <= tolerance, (what, count, found)
    print(f"{what}: {count} positions, " + ", ".join(f"{name} {value:.1e}" for name, value in found.items()))


def check_samples(samples):
    """Planes and legal actions are those of the position's own text."""
    depths = set()
    for position, planes, legal in zip(samples["positions"], samples["planes"], samples["legal"]):
        board, mover, *rest = position.split()
        rows = ["".join("." * int(c) if c.isdigit() else c for c in rank) for rank in board.split("/")]
        squares = np.array([list(row) for row in rows])
        for channel, content in enumerate([mover, "b" if mover == "w" else "w", ".", "x"]):
            assert np.array_equal(planes[channel], squares == content), position
        empty = list(np.flatnonzero(squares == "."))
        assert legal == empty + ([squares.size] if rest == ["swap"] else []), position
        depths.add(len(empty))
    assert len(depths) >= 8, depths
    return len(depths)


def check_model(path, samples):
    import onnx

    onnx.checker.check_model(str(path), full_check=True)
    model = onnx.load(str(path))
    assert model.ir_version == 8 and [(o.domain, o.version) for o in model.opset_import] == [("", 17)]
    (planes,) = model.graph.input
    dims = planes.type.tensor_type.shape.dim
    assert dims[0].dim_param == "batch" and [d.dim_value for d in dims[1:]] == list(samples["planes"].shape[1:])
    assert [output.name for output in model.graph.output] == HEADS
    for output in model.graph.output:
        dims = output.type.tensor_type.shape.dim
        assert dims[0].dim_param == "batch"
        assert [d.dim_value for d in dims[1:]] == list(samples[output.name].shape[1:]), output.name
    operators = {node.op_type for node in model.graph.node}
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    assert ("BatchNormalization" in operators) == (metadata["batch_norm"] == "separate")
    assert ("Cast" in operators) == (metadata["precision"] == "float16")
    check_metadata(metadata, samples)
    return model


def check_metadata(metadata, samples):
    manifest = json.loads(metadata["manifest"])
    assert json.loads(metadata["rules"]) == manifest["game"]
    assert metadata["observation_version"] == str(manifest["observation_version"])
    assert len(json.loads(metadata["input_channels"])) == samples["planes"].shape[1]
    assert set(json.loads(metadata["outputs"])) == set(HEADS)
    assert int(metadata["step"]) == manifest["step"] > 0, "after real training steps"
    assert metadata["project_version"] == manifest["project_version"] and "mover" not in metadata
    assert "player to move" in metadata["perspective"]


def check_weights(path, model, samples):
    """The safetensors package finds the initializers of the ONNX model with separate BatchNorm."""
    import onnx.numpy_helper
    from safetensors import safe_open

    with safe_open(str(path), framework="numpy") as file:
        names = set(file.keys())
        check_metadata(file.metadata(), samples)
        initializers = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
        assert names == initializers.keys(), names ^ initializers.keys()
        for name, values in initializers.items():
            assert np.array_equal(file.get_tensor(name), values), name
    moved = np.abs(initializers["stem.mean"]).max()
    assert moved > 1e-3, "training moved the running statistics"
    print(f"{path}: {len(names)} tensors as in ONNX")


def check_run(run):
    import onnxruntime

    samples = read_samples(run / "samples.jsonl")
    depths = check_samples(samples)
    print(f"{run.name}: {len(samples['positions'])} positions with {depths} different numbers of empty squares")
    for name, tolerance in [("folded", TOLERANCE), ("separate", TOLERANCE), ("half", HALF_TOLERANCE)]:
        path = run / f"{name}.onnx"
        model = check_model(path, samples)
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        compare(f"{run.name}/{path.name}", samples, lambda planes: session.run(HEADS, {"planes": planes}), tolerance)
        if name == "separate":
            check_weights(run / "agent.safetensors", model, samples)
    # What the program itself says with the network read back from each file.
    for name in ("folded.onnx", "separate.onnx", "agent.safetensors", "agent.pt"):
        again = read_samples(run / f"{name}.jsonl")
        assert again["positions"] == samples["positions"]
        found = differences(samples, [again[head] for head in HEADS], len(again["positions"]))
        assert max(found.values()) <= TOLERANCE, (name, found)


def check_torch(run):
    import torch

    samples = read_samples(run / "samples.jsonl")
    for name, tolerance in [("agent.pt", TOLERANCE), ("half.pt", HALF_TOLERANCE)]:
        extra = {"manifest.json": "", "metadata.json": ""}
        module = torch.jit.load(str(run / name), _extra_files=extra)
        check_metadata({**json.loads(extra["metadata.json"]), "manifest": extra["manifest.json"]}, samples)
        with torch.no_grad():
            compare(f"torch {torch.__version__}: {run.name}/{name}", samples,
                    lambda planes: [head.numpy() for head in module(torch.from_numpy(planes))], tolerance)


arguments = sys.argv[1:]
check = check_torch if arguments[0] == "--torch" else check_run
for argument in arguments:
    if argument != "--torch":
        check(pathlib.Path(argument))
