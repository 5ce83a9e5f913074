"""Pictures of a page's parts. Called by screenshots.sh."""

import base64
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "page"))
from browser import chromium, open_page, wait_for  # noqa: E402

html, folder = sys.argv[1], pathlib.Path(sys.argv[2])
LARGEST = 200_000  # bytes; a clone has to stay small


def save(page, name, selector=None, padding=0):
    """The window, or an element with all that does not fit the window."""
    options = {"format": "png"}
    if selector:
        x, y, width, height = page.execute_script(
            "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return [box.x + scrollX, box.y + scrollY, box.width, box.height];", selector)
        options["captureBeyondViewport"] = True
        options["clip"] = {"x": x - padding, "y": y - padding, "width": width + 2 * padding,
                           "height": height + 2 * padding, "scale": 1}
    picture = base64.b64decode(page.execute_cdp_cmd("Page.captureScreenshot", options)["data"])
    file = folder / name
    file.write_bytes(picture)
    print(file, len(picture), "bytes")
    if len(picture) > LARGEST:
        sys.exit(f"{file} has more than {LARGEST} bytes")


def variant_with(page, scenario, status):
    return page.execute_script(
        "return JSON.parse(document.getElementById('data').textContent).variants"
        ".find(one => one.scenario === arguments[0] && one.status === arguments[1]).id", scenario, status)


with chromium(1100, 820) as page:
    open_page(page, html)
    time.sleep(0.5)
    save(page, "summary.png")
    open_page(page, html, "#uneven_batches/peers_leave")
    wait_for(page, "return document.querySelector('.timeline').drawn.width > 0")
    time.sleep(0.5)
    save(page, "timeline.png", ".timeline")
    open_page(page, html, "#" + variant_with(page, "interleaved_communicators", "deadlock"))
    if not page.find_elements("css selector", ".graph svg"):
        sys.exit("this gridlock draws no graphs: build it with Graphviz' library (libgraphviz-dev)")
    time.sleep(0.5)
    save(page, "graph.png", ".graph svg", padding=8)
