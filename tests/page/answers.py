"""Pages of sessions whose result is one answer: an acceptance and a soak."""

import json

from browser import open_page

# No simulated all-reduce reaches this floor.
PROFILE = """summary = "a test"
backend = "sim"
ranks = 2
[[scenario]]
run = "uneven_batches/drop_last"
[[collective]]
operation = "all_reduce"
sizes = ["1MiB"]
floor = "100000 GB/s"
"""


def texts(page, selector):
    return page.execute_script("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector)


def check_acceptance(page, folder, run, check_console):
    (folder / "p.toml").write_text(PROFILE)
    out = folder / "acceptance"
    code, said = run("accept", "p.toml", "--output", out, folder=folder)
    result = json.loads((out / "acceptance.json").read_text())
    assert code == result["exit_code"], said
    first = (out / "index.html").read_text()
    open_page(page, out / "index.html")
    assert texts(page, ".verdict strong") == [result["answer"]]
    assert len(texts(page, ".sheet tbody tr")) == len(result["checks"])
    bad = [one["id"] for one in result["checks"] if one["answer"] != "pass"]
    assert len(texts(page, ".finding h3")) == len(bad)
    page.execute_script("const box = document.querySelector('input[type=search]'); box.value = 'drop_last';"
                        "box.dispatchEvent(new Event('input'));")
    assert len(texts(page, ".sheet tbody tr")) == 1, "words filter"
    check_console(page, "acceptance")
    (out / "index.html").unlink()
    code, said = run("report", out, folder=folder)
    assert code == 0, said
    assert (out / "index.html").read_text() == first, "the page is made again as it was"


def check_soak(page, folder, run, check_console):
    out = folder / "soak"
    code, said = run("soak", "--for", "2s", "--backend", "sim", "--output", out, "uneven_batches/drop_last", folder=folder)
    assert code == 0, said
    first = (out / "index.html").read_text()
    open_page(page, out / "index.html")
    assert texts(page, ".verdict strong") == ["all as declared"]
    assert texts(page, ".sheet tbody th") == ["uneven_batches/drop_last"]
    assert "Step" in " ".join(texts(page, ".sheet thead th"))
    check_console(page, "soak")
    (out / "index.html").unlink()
    code, said = run("report", out, folder=folder)
    assert code == 0, said
    assert (out / "index.html").read_text() == first, "the page is made again as it was"
