"""A score pipeline: its declaration checked, its stages run in order.

A stage is a function ``(question, response, params) -> Reading``, or one such function for each type of
question. It decides (a score), passes (None) or calls the pair invalid; the first that does not pass ends the
pipeline. A new stage is one module and one line in `STAGES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mmeval_pack.judges.anls import anls
from mmeval_pack.judges.exact_match import EXACT_MATCH
from mmeval_pack.judges.improved.stages import careful
from mmeval_pack.judges.params import Params, PipelineError, hint, shown
from mmeval_pack.judges.question import TYPES, ByType, Question, Stage
from mmeval_pack.judges.records import PASS, Doc, Reading, Score, score_of
from mmeval_pack.judges.rule_match import RULE_MATCH
from mmeval_pack.judges.text import Response
from mmeval_pack.judges.vqa_accuracy import vqa_accuracy

__all__ = ["DEFAULT_PIPELINE", "GRADERS", "RULES", "STAGES", "Params", "Pipeline", "PipelineError"]

Entry = Stage | ByType | None
"""What `STAGES` holds: one function for all questions, one for each type, none for a judge's stage."""


def _of_value(grader: Callable[[Doc, Any, Params], Reading]) -> Stage:
    """A grader reads the doc, whatever its question, and the response as it came, not its text."""
    return lambda question, response, params: grader(question.doc, response.value, params)


STAGES: Mapping[str, Entry] = {
    "exact-match": EXACT_MATCH,
    "rule-match": RULE_MATCH,
    "llm-match": None,  # asks a judge; reached without one, it leaves the response unscored
    "llm-judge": None,
    "vqa-accuracy": _of_value(vqa_accuracy),
    "anls": _of_value(anls),
}
RULE_SETS: Mapping[str, Mapping[str, Entry]] = {
    "parity": STAGES,
    "improved": {**STAGES, "exact-match": careful, "rule-match": careful},
}
RULES = tuple(RULE_SETS)
GRADERS = ("vqa-accuracy", "anls")
DEFAULT_PIPELINE = ("exact-match", "rule-match")


class Pipeline:
    """Stages in order with their parameters.

    Attributes:
        stages: the stages' names.
        params: what they compare by.
        rules: one of `RULES`. Verdicts of ``improved`` are not comparable with the publisher's.
    """

    __slots__ = ("_runs", "params", "rules", "stages")

    def __init__(
        self, stages: tuple[str, ...] = DEFAULT_PIPELINE, params: Params | None = None, rules: str = "parity"
    ) -> None:
        self.stages = stages
        self.params = params or Params()
        self.rules = rules
        distinct = _distinct(stages, RULE_SETS[rules])
        self._runs = {kind: _run(distinct, kind, self.params) for kind in TYPES}

    @classmethod
    def declared(cls, stages: object = None, params: object = None, rules: object = "parity") -> Pipeline:
        """The pipeline that a metadata file or a line declares; nothing or ``[]`` is the default one.

        Raises:
            PipelineError: it cannot be run as declared, or is declared unsupported, or the rules are unknown.
        """
        return cls(_checked(stages), Params.declared(params), _rules(rules))

    def score(self, doc: Doc, response: object) -> Score:
        """The verdict on a response, any JSON value; null is a response that is missing."""
        if doc.invalid is not None or response is None:
            return _invalid(doc.invalid or "missing_response")
        question, answer, params = Question(doc), Response(response), self.params
        extraction = None
        for name, stage in self._runs[question.type]:
            if stage is None:
                if not answer.text or answer.text.isspace():
                    continue  # nothing that a judge could find right
                return Score(None, None, None, "unscored", extraction, "no_judge")
            reading = stage(question, answer, params)
            if reading is PASS:
                continue
            score, read, invalid = reading
            if read is not None:
                extraction = read
            if score is not None:
                return score_of((score, 1 if score >= 1 else 0, name, "ok", extraction, None))
            if invalid is not None:
                return _invalid(invalid)
        return _UNDECIDED if extraction is None else score_of((0.0, 0, None, "ok", extraction, None))


_UNDECIDED = Score(0.0, 0, None, "ok", None, None)


def _invalid(reason: str) -> Score:
    return Score(0.0, 0, None, "invalid", None, reason)


def _checked(declared: object) -> tuple[str, ...]:
    """The stages' names of a declaration, after every check that a declaration must pass."""
    if isinstance(declared, Mapping):
        raise PipelineError(_refusal(declared))
    if declared is None:
        return DEFAULT_PIPELINE
    if not isinstance(declared, list | tuple):
        raise PipelineError(f"score pipeline is {shown(declared)}, expected a list of stage names")
    if not declared:
        return DEFAULT_PIPELINE
    stages = [stage for item in declared if (stage := _stage(item))]
    if not stages:
        raise PipelineError(f"score pipeline is {shown(declared)}, expected at least one stage name")
    for place, stage in enumerate(stages):
        if stages.count(stage) > 1:
            raise PipelineError(f"score pipeline names {stage} twice, expected each stage once")
        if stage in GRADERS and place < len(stages) - 1:
            last = f"{stage} before {stages[place + 1]}, expected the grader {stage} as the last stage"
            raise PipelineError(f"score pipeline has {last}")
    return tuple(stages)


def _stage(item: object) -> str:
    """The name of a stage, trimmed; blank names are passed over.

    Raises:
        PipelineError: no stage has this name.
    """
    if isinstance(item, str) and (not (name := item.strip()) or name in STAGES):
        return name
    raise PipelineError(f"unknown stage {shown(item)}{hint(item, STAGES)}")


def _distinct(names: Iterable[str], stages: Mapping[str, Entry]) -> dict[str, Entry]:
    """The stages to run; where two names share one stage, the first answers for both."""
    distinct: dict[str, Entry] = {}
    for name in names:
        stage = stages[name]
        if stage is None or all(stage is not earlier for earlier in distinct.values()):
            distinct[name] = stage
    return distinct


def _run(stages: Mapping[str, Entry], kind: str, params: Params) -> tuple[tuple[str, Stage | None], ...]:
    """The functions to run for a question of this type (in the fuzzy modes, numbers are text)."""
    if kind == "numeric" and not params.numeric:
        kind = "open"
    return tuple(
        (name, stage[kind] if isinstance(stage, Mapping) else stage) for name, stage in stages.items()
    )


def _rules(name: object) -> str:
    """The rule set of this name.

    Raises:
        PipelineError: there is none.
    """
    if isinstance(name, str) and name in RULES:
        return name
    raise PipelineError(f"unknown rules {shown(name)}{hint(name, RULES)}")


def _refusal(declared: Mapping[str, Any]) -> str:
    """Why an object in place of a list of stages cannot be run."""
    if "unsupported" not in declared:
        found = shown(dict(declared))
        return f"score pipeline is {found}, expected a list of stage names, or an object with 'unsupported'"
    reason = declared.get("reason")
    return f"scoring is unsupported ({declared['unsupported']})" + (f": {reason}" if reason else "")
