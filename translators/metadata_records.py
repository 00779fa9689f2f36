"""The records of a metadata file; their annotations are the format."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)

from mmeval_pack.translators import metadata_checks as checks

Name = Annotated[StrictStr, AfterValidator(checks.name)]
Stages = Annotated[tuple[StrictStr, ...], AfterValidator(checks.pipeline)]
Modality = Literal[
    "single_image_start",
    "single_video_start",
    "multi_image_start",
    "multi_image_interleave",
    "multi_video_interleave",
    "multi_image_video_interleave",
    "text",
]


class Record(BaseModel):
    """Base of the records: frozen, and with the keys that the format does not define set apart.

    Attributes:
        extra: those keys and their values, untouched.
    """

    model_config = ConfigDict(frozen=True, populate_by_name=False)
    # fields that no key of the file may fill
    own: ClassVar[frozenset[str]] = frozenset({"extra"})

    extra: Mapping[str, Any] = Field(default={}, repr=False)

    @classmethod
    def keys(cls) -> frozenset[str]:
        """The keys that the format defines at this place."""
        return frozenset(
            field.alias or name for name, field in cls.model_fields.items() if name not in cls.own
        )

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any) -> Any:
        return cls.set_apart(data) if isinstance(data, dict) else data

    @classmethod
    def set_apart(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The data with unknown keys moved into ``extra``."""
        known = cls.keys()
        kept = {key: value for key, value in data.items() if key in known}
        return kept | {"extra": {key: value for key, value in data.items() if key not in known}}


class Entry(Record):
    """Where one field of the rows came from: provenance, never a load recipe."""

    origin: StrictStr | None = Field(default=None, alias="from")
    key: StrictStr | None = None
    optional: StrictBool = False
    note: StrictStr | None = None
    type: StrictStr | None = None
    min_items: StrictInt | None = None
    max_items: StrictInt | None = None


# the two forms of choices; pydantic puts these words into its error paths
FORMS = ("an object", "a list")


def _form(value: Any) -> str:
    return FORMS[isinstance(value, (list, tuple))]


Choices = Annotated[
    Annotated[Entry, Tag(FORMS[0])] | Annotated[tuple[Entry, ...], Tag(FORMS[1])], Discriminator(_form)
]


class Source(Record):
    """The source dataset; the keys of ``url`` are the names of the published splits."""

    format: StrictStr | None = None
    url: Annotated[dict[Name, StrictStr], AfterValidator(checks.some_split)]


class SourceMapping(Record):
    """``mapping_from_source``; here alone ``extra`` is the format's own key: further columns of the rows."""

    model_config = ConfigDict(extra="allow")
    own: ClassVar[frozenset[str]] = frozenset()

    media: Entry | None = None
    id: Entry | None = None
    question: Entry | None = None
    answer: Entry | None = None
    options: Entry | None = None
    choices: Choices | None = None
    hint: Entry | None = None
    extra: Mapping[str, Entry] = {}
    source: Source

    @classmethod
    def set_apart(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The data as it is; pydantic keeps unknown keys in ``model_extra``."""
        return data


class Unsupported(Record):
    """The publisher's word that a subset cannot be scored by any of the stages."""

    name: Name = Field(alias="unsupported")
    reason: StrictStr


class ScoreProtocol(Record):
    """Prose on where the scoring protocol comes from."""

    reference: StrictStr | None = None
    note: StrictStr | None = None


class TemplateSource(Record):
    """Prose on where the prompt template comes from."""

    origin: Literal["official", "source_column", "fallback"] | None = None
    reference: StrictStr | None = None
    notes: StrictStr | None = None


class VideoStorage(Record):
    """How the videos of a repository are stored."""

    format: Literal["files", "archives"]
    media_root: Annotated[StrictStr, AfterValidator(checks.inside)] | None = None
    archive_format: Literal["zip", "tar", "tar.gz"] | None = None
    archive_files: Annotated[tuple[StrictStr, ...], BeforeValidator(checks.listed)] | None = None
    notes: StrictStr | None = None


class Subset(Record):
    """One subset of a benchmark.

    Attributes:
        name: its key among the file's subsets.
        score_pipeline: stages in order; ``()`` where the publisher says that no official protocol exists,
            None where nothing is said or the subset is unsupported.
        unsupported: set where the publisher refuses scoring.
        mapping: ``mapping_from_source``.
        warnings: what is odd about the subset.
    """

    own: ClassVar[frozenset[str]] = frozenset({"name", "unsupported", "warnings", "extra"})

    name: str = ""
    language: tuple[Name, ...]
    modalities: tuple[Modality, ...]
    task_type: StrictStr
    score_pipeline: Annotated[Stages | None, BeforeValidator(checks.declared)] = None
    unsupported: Unsupported | None = None
    score_params: Annotated[dict[str, Any], AfterValidator(checks.params)] = {}
    score_protocol: ScoreProtocol | None = None
    prompt_template: Annotated[StrictStr, AfterValidator(checks.template)]
    prompt_template_source: TemplateSource | None = None
    mapping: SourceMapping = Field(alias="mapping_from_source")
    video_storage: VideoStorage | None = None
    warnings: tuple[str, ...] = ()

    @property
    def splits(self) -> tuple[str, ...]:
        """Names of the published splits, in the order of the file."""
        return tuple(self.mapping.source.url)

    @property
    def official_protocol(self) -> bool | None:
        """True: a pipeline is declared; False: declared not to exist; None: nothing is declared."""
        return None if self.score_pipeline is None else bool(self.score_pipeline)

    @classmethod
    def set_apart(cls, data: dict[str, Any]) -> dict[str, Any]:
        """The data with unknown keys moved into ``extra``, and a refusal to score into ``unsupported``."""
        data = super().set_apart(data)
        declared = data.get("score_pipeline")
        if isinstance(declared, dict) and "unsupported" in declared:
            data["unsupported"] = data.pop("score_pipeline")
        return data


class File(Record):
    """The file's top level, as it stands."""

    name: Name
    release_date: Annotated[date, BeforeValidator(checks.day)] | None = None
    subsets: Annotated[dict[Name, Subset], AfterValidator(checks.some_subset)]
