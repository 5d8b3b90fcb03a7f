"""Draws images/tiling.svg, a tile of a matrix product: python images/tiling.py"""
import svg

SIZE, SIDE = 13, 12  # of a cell; cells a side
LONG, TOP = SIZE * SIDE, 74
TILE, STEP = range(4, 8), 5  # the tile's rows and columns; the step that is shown
PANELS = {  # where, the cells that work, the column over the arrow, the row under it, the words
    "A": (46, svg.BLUE, [(STEP, row) for row in TILE], STEP + 0.5, 8, "t numbers\nof column k"),
    "B": (274, svg.BLUE, [(column, STEP) for column in TILE], 6, STEP + 1, "t numbers\nof row k"),
    "C": (502, svg.GREEN, [(column, row) for row in TILE for column in TILE], 6, 8, "t² sums\nstay near"),
}


def panel(name: str, left: float, colour: str, working: list, column: float, row: float, words: str) -> str:
    middle, bottom, x = left + LONG / 2, TOP + LONG, left + column * SIZE
    return "".join([
        svg.text(middle, TOP - 22, name, "strong"), svg.grid(left, TOP, SIDE, SIDE, SIZE, colour, working),
        svg.line((x, bottom + 30), (x, TOP + row * SIZE + 3), kind="to"), svg.text(middle, bottom + 50, words),
    ])


def main() -> None:
    head = svg.text(svg.WIDTH / 2, 24, "step k: 2t numbers are fetched, t² multiply-adds are done", "soft")
    signs = [svg.text(x, TOP + LONG / 2, sign, "strong") for x, sign in ((238, "×"), (466, "="))]
    svg.save(
        __file__, "A tile of a matrix product",
        "Three square grids, A times B equals C. In A four numbers of one column are marked, in B four numbers of one "
        "row, in C a tile of four by four. Each step fetches 2t numbers and does t² multiply-adds.",
        TOP + LONG + 84, head, *signs, *(panel(name, *rest) for name, rest in PANELS.items()),
    )


if __name__ == "__main__":
    main()
