"""Pictures of a page's parts. Called by screenshots.sh."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tests" / "page"))
from browser import chromium, open_page, wait_for  # noqa: E402

html, folder = sys.argv[1], pathlib.Path(sys.argv[2])
LARGEST = 200_000  # bytes; a clone has to stay small


def save(picture, name):
    file = folder / name
    file.write_bytes(picture)
    print(file, len(picture), "bytes")
    if len(picture) > LARGEST:
        sys.exit(f"{file} has more than {LARGEST} bytes")


with chromium(1100, 820) as page:
    open_page(page, html)
    time.sleep(0.3)
    save(page.get_screenshot_as_png(), "summary.png")
    open_page(page, html, "#uneven_batches/peers_leave")
    wait_for(page, "return document.querySelector('.timeline').drawn.width > 0")
    time.sleep(0.3)
    save(page.find_element("css selector", ".timeline").screenshot_as_png, "timeline.png")
    open_page(page, html, "#interleaved_communicators/"
              + page.execute_script("return JSON.parse(document.getElementById('data').textContent).variants"
                                    ".find(one => one.scenario === 'interleaved_communicators' && one.status === 'deadlock').variant"))
    graph = page.find_elements("css selector", ".graph")
    if not graph:
        sys.exit("this gridlock draws no graphs: build it with Graphviz' library (libgraphviz-dev)")
    page.execute_script("arguments[0].style.padding = '8px'", graph[0])
    time.sleep(0.3)
    save(graph[0].screenshot_as_png, "graph.png")
