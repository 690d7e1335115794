#!/usr/bin/env python3
"""Chooses a move with an exported network, without this project: python3 play.py AGENT.onnx POSITION

Needs onnxruntime and numpy. POSITION is written as for `pahtum show`: ranks from the top with digits for empty
squares, x hole, w, b; then the mover; optionally place=K, open=K or swap.
"""
import json
import sys

import numpy as np
import onnxruntime


class Position:
    def __init__(self, text):
        board, self.mover, *rest = text.split()
        ranks = ["".join("." * int(c) if c.isdigit() else c for c in rank) for rank in board.split("/")]
        self.squares = np.array([list(rank) for rank in ranks])  # [row, column], row 0 the top rank
        self.size = len(ranks)
        self.may_swap = rest == ["swap"]  # not yet in "place=2 swap"
        self.opening = any(word.startswith("open=") for word in rest)
        self.holes_left = sum(int(word.split("=")[1]) for word in rest if "=" in word)

    def planes(self, channels):
        """float32 [channels, size, size], from the side of the mover: env/observation.h."""
        opponent = "b" if self.mover == "w" else "w"
        planes = np.zeros((12, self.size, self.size), np.float32)
        for channel, content in enumerate([self.mover, opponent, ".", "x"]):
            planes[channel] = self.squares == content
        planes[4] = self.may_swap
        planes[5] = self.opening
        for bit in range(6):
            planes[6 + bit] = self.holes_left >> bit & 1
        return planes[:channels]

    def legal_actions(self):
        """row * size + column of every empty square; size * size is the swap."""
        actions = list(np.flatnonzero(self.squares == "."))
        return actions + [self.size**2] if self.may_swap else actions

    def name(self, action):
        if action == self.size**2:
            return "swap"
        return "abcdefgh"[action % self.size] + str(self.size - action // self.size)


def softmax(logits):
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
    position = Position(" ".join(sys.argv[2:]))
    _, channels, size, _ = session.get_inputs()[0].shape
    if position.size != size:
        sys.exit(f"the network plays on boards of size {size}, not {position.size}")
    batch = position.planes(channels)[np.newaxis]
    policy, wdl, margin = session.run(["policy", "wdl", "margin"], {"planes": batch})

    # The policy is not masked: only legal actions take part in the softmax. A network trained without the swap
    # has no logit for it.
    legal = [action for action in position.legal_actions() if action < policy.shape[1]]
    if not legal:
        sys.exit("the game is over")
    priors = softmax(policy[0, legal])
    win, draw, loss = softmax(wdl[0])
    order = np.argsort(-priors)
    print(json.dumps({
        "move": position.name(legal[order[0]]),
        "policy": {position.name(legal[k]): round(float(priors[k]), 4) for k in order[:5]},
        "win": round(float(win), 4), "draw": round(float(draw), 4), "loss": round(float(loss), 4),
        "margin": round(float(margin[0]), 2),
    }))


main()
