"""The layers of the design, read from the source: what may import what, print, and read the environment."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    file.relative_to(ROOT)
    for top in ("judges", "translators", "parity")
    for file in (ROOT / top).rglob("*.py")
)
# The longest prefix that fits a module counts.
LAYERS = {
    "judges": 0,
    "judges.pipeline": 1,
    "judges.llm_match": 1,
    "judges.llm_judge": 1,
    "judges.mathverse": 1,
    "judges.judging": 1,
    "judges.asking": 1,
    "judges.recorded": 1,
    "judges.figures": 1,
    "judges.metrics": 1,
    "judges.in_flight": 1,
    "judges.ways": 1,
    "judges.offline": 1,
    "translators": 2,
    "translators.plan": 3,
    "translators.prompt": 3,
    "translators.files": 3,
    "translators.manifest": 3,
    "translators.askable": 3,
    "translators.lmms_eval": 4,
    "translators.vlmevalkit": 4,
    "parity": 5,
    "translators.cli": 6,
    "translators.demo": 6,
}
HEAVY = {"torch", "lmms_eval", "vlmeval", "datasets", "pandas", "pyarrow", "transformers"}
READS_ENVIRONMENT = {
    "judges/client.py",
    "translators/lmms_eval/source.py",
    "translators/local_rows.py",
    "parity/references/lmms_eval.py",  # lends a native task the key that it wants when it is imported
    "translators/vlmevalkit/launch.py",  # sets the format of predictions unless the user did
    "translators/demo/run.py",  # hands a part of the environment on to the process that it starts
}


def module_of(file: Path) -> str:
    """``judges/pipeline.py`` -> ``judges.pipeline``."""
    parts = file.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> int:
    """The layer of the longest prefix of the module that has one."""
    parts = module.split(".")
    prefixes = (".".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next(LAYERS[prefix] for prefix in prefixes if prefix in LAYERS)


def imports(tree: ast.AST) -> Iterator[tuple[str, ast.stmt]]:
    """Each imported module with its statement; ``from package import name`` gives ``package.name``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from ((f"{node.module}.{alias.name}", node) for alias in node.names)


def at_module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run on import: not those in functions, nor those for type checkers only."""
    pending: list[ast.stmt] = [*tree.body]
    while pending:
        node = pending.pop()
        yield node
        for_checkers = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        if not for_checkers and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            pending += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]


def parse(file: Path) -> ast.Module:
    """The syntax tree of a file of the project."""
    return ast.parse((ROOT / file).read_text("utf-8"))


def own_imports(file: Path) -> Iterator[str]:
    """The project's modules that a file imports, without the namespace in front."""
    for name, _ in imports(parse(file)):
        if name.startswith("mmeval_pack."):
            yield name.removeprefix("mmeval_pack.")


@pytest.mark.parametrize("file", SOURCES, ids=str)
def test_imports_point_downwards(file: Path) -> None:
    """A module imports from its own layer or from lower ones."""
    own = layer_of(module_of(file))
    assert [name for name in own_imports(file) if layer_of(name) > own] == []


def test_a_module_of_a_new_folder_needs_a_layer() -> None:
    """No module is left without a rule."""
    with pytest.raises(StopIteration):
        layer_of("elsewhere.module")


@pytest.mark.parametrize("file", SOURCES, ids=str)
def test_frameworks_and_roles_keep_apart(file: Path) -> None:
    """No framework imports another; an emitter imports no judge, an adapter no metadata and no emitter."""
    path = file.as_posix()
    forbidden: tuple[str, ...] = ()
    if path.startswith("translators/lmms_eval/"):
        forbidden += ("translators.vlmevalkit",)
    if path.startswith("translators/vlmevalkit/"):
        forbidden += ("translators.lmms_eval",)
    if file.name == "emitter.py":
        forbidden += ("judges",)
    if file.name == "adapter.py":
        forbidden += ("translators.metadata", f"{module_of(file.parent / 'emitter.py')}")
    assert [
        name for name in own_imports(file) if f"{name}.".startswith(tuple(f"{bad}." for bad in forbidden))
    ] == []


@pytest.mark.parametrize("file", SOURCES, ids=str)
def test_only_the_command_line_prints(file: Path) -> None:
    """print() is called in translators/cli and nowhere else."""
    calls = [node.func for node in ast.walk(parse(file)) if isinstance(node, ast.Call)]
    prints = [call for call in calls if isinstance(call, ast.Name) and call.id == "print"]
    assert not prints or file.as_posix().startswith("translators/cli/")


@pytest.mark.parametrize("file", SOURCES, ids=str)
def test_the_environment_is_read_in_two_places(file: Path) -> None:
    """os.environ and os.getenv are for the judge's client and the source of rows."""
    names = {node.attr for node in ast.walk(parse(file)) if isinstance(node, ast.Attribute)}
    imported = {name for name, _ in imports(parse(file))}
    reads = names & {"environ", "environb", "getenv"} or imported & {"os.environ", "os.getenv"}
    assert not reads or file.as_posix() in READS_ENVIRONMENT


@pytest.mark.parametrize("file", SOURCES, ids=str)
def test_no_framework_is_imported_at_module_level(file: Path) -> None:
    """Importing a module of ours imports no framework, no torch and no table library."""
    tree = parse(file)
    top = {id(node) for node in at_module_level(tree)}
    heavy = [name for name, node in imports(tree) if id(node) in top and name.split(".")[0] in HEAVY]
    assert heavy == []


def test_importing_the_package_imports_nothing_heavy() -> None:
    """The same in a fresh interpreter, through everything that these imports pull in."""
    names = [f"mmeval_pack.{module_of(file)}" for file in SOURCES if layer_of(module_of(file)) < 5]
    code = f"import sys, importlib\nfor n in {names}: importlib.import_module(n)\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & HEAVY == set()
