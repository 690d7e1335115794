#!/usr/bin/env python3
"""Counts every order of moves on small boards and writes the golden numbers of tests/data/exhaustive.txt.

Written from the rules alone, on strings, and sharing nothing with the C++ code: tests/env/exhaustive_test.cc
plays the same games through the project's own rules and must come to the same numbers.

Usage: scripts/exhaustive_counts.py [FILE]      (default: tests/data/exhaustive.txt; about a minute)
"""

import pathlib
import sys
from collections import Counter

START_POSITIONS = """
3/1x1/3 w
3/1x1/3 b
x2/3/3 w
1x1/3/3 w
3/3/3 w
4/4/xxxx/xxxx w
4/x2x/x2x/xxxx w
x3/1x1x/2x1/x1xx w
xx2/x3/3x/2xx w
4/4/4/xxxx w
3x/3x/3x/3x w
xx1xx/xx1xx/5/xx1xx/xx1xx w
5/xxxxx/5/xxxxx/xxxxx w
4x/xxx1x/xxx1x/xxx1x/1xx1x w
6/xxxxxx/xxxxxx/1xxxxx/1xxxxx/xxxxxx b
ww1xw2/bb1xbb1/xxxxxxx/1w1xxxx/xxxxxxx/xxxxxxx/xxxxxxx w
ww1w1bw/bb1b1wb/b1bwwww/wbbbwwb/1bbwbb1/wbw1wbw/w1wwbbw w
wbwbw1w/bb1bbbb/www1bbw/b1wwbbb/ww1wwb1/w1bwbbb/wwwwbbw b
www5/xxxxxxxx/bbbb4/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx/xxxxxxxx w
3/3/3 b place=3
3/1x1/3 w place=2
4/x2x/4/xxxx w place=2
3/1x1/3 w open=0
3/3/3 w open=3
3/3/3 b place=1 swap
4/4/xxxx/xxxx w place=2 swap
1w1/3/3 b swap
""".split("\n")[1:-1]


def run_points(length):
    """p(n) = n + 2 p(n - 1) for n >= 3, and nothing for shorter runs."""
    return 0 if length < 3 else length + 2 * run_points(length - 1)


def points(ranks, stone):
    """Each maximal horizontal or vertical run of one colour scores by its length."""
    total = 0
    for line in list(ranks) + ["".join(file) for file in zip(*ranks)]:
        for run in "".join(c if c == stone else " " for c in line).split():
            total += run_points(len(run))
    return total


def read(text):
    """Ranks joined by slashes with a dot for each empty square, the mover, and what the next move is."""
    board, mover, *phase = text.split()
    for digit in "12345678":
        board = board.replace(digit, "." * int(digit))
    kind, _, number = phase[0].partition("=") if phase else ("play", "", "")
    return board, mover, kind, int(number or 0), phase[1:] == ["swap"]


def moves(state):
    """The state after each move that the rules allow; none when the game is over."""
    board, mover, kind, holes, pie = state
    other = "b" if mover == "w" else "w"
    for square, content in enumerate(board):
        if content != ".":
            continue

        def put(piece):
            return board[:square] + piece + board[square + 1 :]

        if kind == "place":
            # The players place holes alternately; whoever did not place the last one plays the first stone.
            following = ("place", holes - 1, pie) if holes > 1 else ("open" if pie else "play", 0, False)
            yield put("x"), other, *following
        elif kind == "open" and holes > 0:
            # One player places all of them in a row, and then a stone.
            yield put("x"), mover, "open", holes - 1, False
        elif kind == "open":
            yield put(mover), other, "swap", 0, False
        else:
            yield put(mover), other, "play", 0, False
    if kind == "swap" and "." in board:
        # The one stone changes its colour, and the turn passes.
        yield board.translate(str.maketrans("wb", "bw")), other, "play", 0, False


def margins(state, known):
    """How many orders of moves from `state` end with each margin (White's points minus Black's)."""
    if state in known:
        return known[state]
    total = Counter()
    if "." in state[0]:
        for following in moves(state):
            total.update(margins(following, known))
    else:
        ranks = state[0].split("/")
        total[points(ranks, "w") - points(ranks, "b")] = 1
    known[state] = total
    return total


def main():
    default = pathlib.Path(__file__).resolve().parents[1] / "tests" / "data" / "exhaustive.txt"
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    lines = [
        "# Every order of moves from a position, by scripts/exhaustive_counts.py; do not edit.",
        "# Tab-separated: position, games, White wins, draws, Black wins, margin:games by margin (White - Black).",
    ]
    for text in START_POSITIONS:
        counts = margins(read(text), {})
        white = sum(games for margin, games in counts.items() if margin > 0)
        black = sum(games for margin, games in counts.items() if margin < 0)
        histogram = " ".join(f"{margin}:{counts[margin]}" for margin in sorted(counts))
        lines.append("\t".join([text, str(sum(counts.values())), str(white), str(counts[0]), str(black), histogram]))
        print(lines[-1][:100], file=sys.stderr, flush=True)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
