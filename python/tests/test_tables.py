"""Tables in, frames out: the caller's library, index and dtypes."""

from __future__ import annotations

import json
import warnings
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import cola_xai as cola


def fitted(rows: pd.DataFrame, label: pd.Series) -> Any:
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), ["home"]), remainder="passthrough")
    return make_pipeline(encoder, LogisticRegression(max_iter=1000)).fit(rows, label)


def test_index_and_dtypes_are_the_callers(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    typed = rows.assign(
        home=rows["home"].astype("category"),
        debt=rows["debt"].astype("int16"),
        income=rows["income"].astype("float64"),
        married=rows["kids"] > 1,
        flag=np.where(rows["kids"] > 2, "yes", "no"),
        many=pd.array(rows["kids"], dtype="Int64"),
    )

    class Model:
        classes_ = np.array(["no", "yes"])
        seen: list[Any] = []

        def predict_proba(self, asked: pd.DataFrame) -> np.ndarray:
            self.seen.append(asked.dtypes)
            pd.testing.assert_series_equal(asked.dtypes, typed.dtypes)
            assert set(asked["flag"]) <= {"yes", "no"} and set(asked["home"]) <= {"own", "rent", "free"}
            yes = 1 / (1 + np.exp(2 - 0.1 * asked["income"] + 0.2 * asked["debt"] - (asked["home"] == "own")))
            return np.column_stack([1 - yes, yes])

    some = typed.iloc[[7, 3, 11]]
    result = cola.Study(Model(), typed, target="yes").explain(some)
    assert Model.seen
    pd.testing.assert_series_equal(result.plans[typed.columns].dtypes, typed.dtypes)
    assert list(result.plans.index) == list(some.index)
    assert set(result.edits.index) <= set(some.index) and set(result.reasons.index) <= set(some.index)
    plan = result.edits[result.edits["role"] == "plan"]
    for name, edit in plan.iterrows():
        assert result.plans.loc[name, edit["feature"]] == edit["to"]
        assert some.loc[name, edit["feature"]] == edit["from"]


def test_structure_and_questions_give_the_same_plans_of_references(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    model = fitted(rows, label)
    refused = rows[model.predict(rows) == 0].head(8)
    own = cola.Study(model, rows, target=1, values="reference").explain(refused)
    asked = cola.Study(model, rows, target=1, values="reference", structure=False).explain(refused)
    assert (own.plans["status"] == asked.plans["status"]).all()
    assert [len(r["edits"]) for r in own.explanation["rows"]] == [len(r["edits"]) for r in asked.explanation["rows"]]


@pytest.mark.parametrize("library", ["polars", "arrow", "numpy"])
def test_other_libraries(library: str, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans[0][["income", "debt", "kids"]].reset_index(drop=True), loans[1]
    if library == "polars":
        pl = pytest.importorskip("polars")
        native, kind = pl.from_pandas, pl.DataFrame
    elif library == "arrow":
        import pyarrow as pa

        native, kind = pa.Table.from_pandas, pa.Table
    else:
        native, kind = pd.DataFrame.to_numpy, np.ndarray
    seen: list[type] = []

    def model(asked: Any) -> np.ndarray:
        seen.append(type(asked))
        frame = pd.DataFrame(asked) if library == "numpy" else asked.to_pandas()
        values = frame.to_numpy()
        return 1 / (1 + np.exp(3 - 0.1 * values[:, 0] + 0.2 * values[:, 1]))

    study = cola.Study(model, native(rows), target="score > 0.5")
    result = study.explain(native(rows.head(4)))
    assert set(seen) == {kind}
    plans = result.plans.to_pandas() if library in ("polars", "arrow") else result.plans
    assert isinstance(result.plans, pd.DataFrame if library == "numpy" else kind)
    assert plans["valid"].all() and len(plans) == 4


def test_types_of_polars_and_arrow_are_the_callers(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """Enumerations, small integers with gaps and float32 reach the model, and the plans, as they are in the table."""
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    rows = pl.from_pandas(loans[0].reset_index(drop=True)).with_columns(
        pl.col("home").cast(pl.Enum(["castle", "own", "rent", "free"])),
        pl.col("kids").cast(pl.Int8).replace(3, None),
        pl.col("income").cast(pl.Float32),
    )
    kept = ["income", "debt", "home", "kids"]
    table = pa.table(
        {
            "income": pa.array(loans[0]["income"], pa.float32()),
            "debt": pa.array(loans[0]["debt"], pa.int16()),
            "home": pa.array(loans[0]["home"]).dictionary_encode(),
            "kids": pa.array([None if v == 3 else v for v in loans[0]["kids"]], pa.int8()),
        }
    )
    seen: list[Any] = []

    def model(asked: Any) -> np.ndarray:
        seen.append(asked.schema)
        income, debt = (np.asarray(asked[name], dtype="float64") for name in ("income", "debt"))
        return 1 / (1 + np.exp(3 - 0.1 * income + 0.2 * debt))

    for native in (rows, table):
        seen.clear()
        result = cola.Study(model, native, target="score > 0.5").explain(native[:4])
        kinds = [native.schema.field(n).type for n in kept] if native is table else [native.schema[n] for n in kept]
        for schema in [*seen, result.plans.schema]:
            assert [schema.field(n).type if native is table else schema[n] for n in kept] == kinds
        np.testing.assert_array_equal(model(result.plans.select(kept)), np.asarray(result.plans["score"]))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_plans_between_two_numbers_of_a_narrow_dtype_hold(dtype: str, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier

    rows, label = loans[0][["income", "debt"]].astype(dtype), loans[1]
    for model in (HistGradientBoostingClassifier(max_iter=20), GradientBoostingClassifier(n_estimators=20, random_state=0)):
        model.fit(rows, label)
        study = cola.Study(model, rows, target=1)
        plans = study.explain(rows[model.predict(rows) == 0].head(40)).plans
        assert study.structure == "trees" and plans["valid"].all()
        assert (model.predict(plans[rows.columns]) == 1).all()
        if dtype == "float32" and isinstance(model, GradientBoostingClassifier):  # reads float32 itself
            assert list(plans[rows.columns].dtypes) == ["float32", "float32"]


def test_odd_columns(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0].astype({"home": "object"})
    odd = rows.assign(
        kids=[*rows["kids"].head(200), *["many"] * 200],  # numbers first, a word late
        score=[Decimal(k) for k in range(400)],
        ill=pd.Series([True, None] * 200, dtype="object", index=rows.index),
    ).rename(columns={"debt": "status"})

    def model(asked: pd.DataFrame) -> np.ndarray:
        kids = np.array([9 if value == "many" else value for value in asked["kids"]], dtype="float64")
        assert all(value is None or value is True for value in asked["ill"])
        return 1 / (1 + np.exp(3 - 0.1 * asked["income"] + 0.2 * asked["status"] - 0.1 * kids - 0.001 * asked["score"].astype(float)))

    some = odd.iloc[[0, 399, 5]].set_axis([7, 7, 7], axis=0)
    plans = cola.Study(model, odd, target="score > 0.5").explain(some).plans
    assert set(plans["_status"]) == {"ok"} and plans["home"].dtype == plans["kids"].dtype == "object"
    np.testing.assert_allclose(plans["_score"], model(plans[odd.columns]), rtol=1e-12)


def test_an_empty_text_is_a_level_and_columns_may_be_called_anything(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income", "debt", "home"]].replace({"home": {"free": ""}}).set_axis(["constructor", "a[0], <b>", "__proto__"], axis=1)

    def model(asked: pd.DataFrame) -> np.ndarray:
        assert set(asked["__proto__"]) <= {"own", "rent", ""}
        return 1 / (1 + np.exp(3 - 0.1 * asked["constructor"] + 0.2 * asked["a[0], <b>"] - 0.5 * (asked["__proto__"] == "")))

    some = rows[model(rows) < 0.5].head(20)
    plans = cola.Study(model, rows, target="score > 0.5").explain(some).plans
    assert plans["valid"].all() and set(some["__proto__"]) == {"own", "rent", ""}
    np.testing.assert_allclose(plans["score"], model(plans[rows.columns]), rtol=1e-12)


ALIKE = [
    [" A", "A ", "A", "B"],
    ["yes", "Yes", "no", "NO"],
    ["True", "true", "False", "no"],
    [1, "1", 1.5, "x"],
    [True, "true", False, "x"],
    ["", " ", "x", None],
    ["a\u00a0", "a", "'a'", '"a"'],
    ["1", "1.0", "01", "1e0"],
]


@pytest.mark.parametrize("levels", ALIKE, ids=map(repr, ALIKE))
def test_levels_that_look_alike_are_levels_of_their_own(levels: list[Any]) -> None:
    """Blanks around a text, another case of yes, a number and its text: a plan leaves each as it is, and is scored with it."""
    random = np.random.default_rng(1)
    effect = {repr(level): value for level, value in zip(levels, (3, -3, 0, 1))}
    rows = pd.DataFrame({"a": random.normal(size=200), "b": random.normal(size=200)})
    rows["level"] = pd.Series([levels[k] for k in random.integers(0, 4, 200)], dtype="object")

    def model(asked: pd.DataFrame) -> np.ndarray:
        score = asked["a"] + 0.5 * asked["b"] + np.array([effect[repr(level)] for level in asked["level"]])
        return np.asarray(1 / (1 + np.exp(-score)), dtype="float64")

    refused = rows[model(rows) < 0.5].head(20)
    result = cola.Study(model, rows, target="score > 0.5").explain(refused)
    plans, told = result.plans, result.explanation["rows"]
    assert plans["valid"].all()
    np.testing.assert_allclose(plans["score"], model(plans[rows.columns]), rtol=1e-12)
    np.testing.assert_allclose([row["before"] for row in told], model(refused), rtol=1e-12)
    for was, now, row in zip(refused["level"], plans["level"], told):
        assert (repr(was) == repr(now)) == ("level" not in [edit["feature"] for edit in row["edits"]])


def test_a_text_that_only_looks_like_a_level_is_none(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income", "home"]]
    study = cola.Study(lambda asked: asked["income"].to_numpy() / 100, rows, target="score > 0.5")
    with pytest.raises(cola.ColaError, match="' own'") as told:
        study.explain(rows.head(2).assign(home=[" own", "rent"]))
    assert told.value.code == "VALUE_INVALID"


def test_cells_that_are_neither_numbers_nor_texts_are_told(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income"]]
    with pytest.raises(cola.ColaError, match="'many' holds cells that are neither numbers nor text"):
        cola.Study(lambda asked: asked["income"] / 100, rows.assign(many=[[1]] * len(rows)))
    with pytest.raises(cola.ColaError, match="row 0 of income is Infinity, not a finite number"):
        cola.Study(lambda asked: asked["income"] / 100, rows.assign(income=np.inf), target="score > 0.5").explain(rows.head(1))


@pytest.mark.parametrize("dtype", ["object", "category"])
def test_levels_of_rows_beside_are_levels(dtype: str, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """Counterfactuals hold levels that a handful of rows has not."""
    pytest.importorskip("shap")
    rows, label = loans[0].astype({"home": "object"}), loans[1]
    model = fitted(rows, label)
    granted, refused = rows[model.predict(rows) == 1], rows[model.predict(rows) == 0]
    some = refused[refused["home"] == "rent"].head(3).astype({"home": dtype})
    found = granted[granted["home"] != "rent"].head(3).astype({"home": dtype})
    result = cola.refine(model, some, found, target=1)
    assert result.plans["valid"].all() and (model.predict(result.plans[rows.columns]) == 1).all()
    assert not result.plans[rows.columns].isna().any(axis=None)
    assert len(cola.couple(some, found)) >= 3
    told = cola.pshap(model, some, found, target=1)
    np.testing.assert_allclose(told.values.sum(axis=1) + told.base_values, model.predict_proba(some)[:, 1], rtol=0, atol=1e-12)
    with pytest.raises(cola.ColaError, match="not one of its levels"):
        cola.Study(model, found, target=1).explain(some)
    assert cola.Study(model, found, target=1, beside=some).explain(some).plans["valid"].all()


def test_options_as_python_writes_them(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    model = fitted(rows, label)
    refused = rows[model.predict(rows) == 0].head(2)
    result = cola.Study(model, rows, target=1, alternatives="all", freeze=np.array(["home"])).explain(refused)
    assert "alternative 1" in set(result.edits["role"]) and "home" not in set(result.edits["feature"])
    for given in ({"constraints": [1]}, {"references": rows}, {"timeout": np.inf}, {"exclude": ["debt"]}, {"label": "home"}, {"id": "home"}):
        with pytest.raises(cola.ColaError) as told:
            cola.Study(model, rows, target=1, **given)
        assert told.value.code == "OPTION_INVALID"
    for goal in ([0, 1], 2):
        with pytest.raises(cola.ColaError) as told, warnings.catch_warnings():
            warnings.simplefilter("error")
            cola.Study(model, rows, target=goal)
        assert told.value.code == "TARGET_INVALID"


def test_edits_of_yes_and_no_are_the_callers(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income"]].assign(member=loans[0]["kids"] > 1)
    study = cola.Study(lambda asked: 0.2 + 0.6 * asked["member"].astype(float), rows, target="score > 0.5")
    edits = study.explain(rows[~rows["member"]].head(2)).edits.query("role == 'plan'")
    assert [(edit["from"], edit["to"]) for _, edit in edits.iterrows()] == [(False, True)] * 2
    assert all(isinstance(edit["to"], bool) for _, edit in edits.iterrows())


def test_cells_that_a_plan_leaves_are_the_callers_to_the_last_digit(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """Account numbers of 64 bits and decimals are not doubles."""
    rows = loans[0][["income", "debt"]].assign(account=np.arange(400) * 3 + 2**60 + 1, share=[Decimal(k) / 10 for k in range(400)])
    rows["many"] = pd.array([2**62 + 5 * k if k % 3 else None for k in range(400)], dtype="Int64")

    def model(asked: pd.DataFrame) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(3 - 0.1 * asked["income"] + 0.2 * asked["debt"])), dtype="float64")

    refused = rows[model(rows) < 0.5].head(12)
    plans = cola.Study(model, rows, target="score > 0.5").explain(refused).plans
    left = ["account", "share", "many"]
    assert plans["valid"].all() and isinstance(plans["share"].iloc[0], Decimal)
    pd.testing.assert_frame_equal(plans[left], refused[left])


@pytest.mark.parametrize("gap", [None, np.nan])
def test_a_gap_among_texts_is_the_callers(gap: Any, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """Encoders tell NaN from None."""
    rows = loans[0][["income", "debt"]].assign(home=pd.Series([gap, "own"] * 200, dtype="object", index=loans[0].index))

    def model(asked: pd.DataFrame) -> np.ndarray:
        assert {type(value) for value in asked["home"]} <= {str, type(gap)}
        return np.asarray(1 / (1 + np.exp(3 - 0.1 * asked["income"] + 0.2 * asked["debt"])), dtype="float64")

    plans = cola.Study(model, rows, target="score > 0.5").explain(rows[model(rows) < 0.5].head(6)).plans
    assert plans["valid"].all() and type(gap) in {type(value) for value in plans["home"]}
    np.testing.assert_array_equal(model(plans[rows.columns]), plans["score"])


def test_records_are_asked_by_name() -> None:
    people = [{"age": 20, "wage": 30}, {"age": 40, "wage": 80}, {"age": 50, "wage": 70}]
    plans = cola.Study(lambda asked: asked["wage"].to_numpy() / 100, people, target="score > 0.5").explain(people[:1]).plans
    assert list(plans["wage"]) == [51] and list(plans["age"]) == [20]
    places = cola.Study(lambda asked: asked[:, 1] / 100, [[20, 30], [40, 80], [50, 70]], target="score > 0.5")
    assert list(places.explain(pd.DataFrame(people[:1])).plans[1]) == [51]


def test_a_word_among_numbers_is_said_and_columns_twice_are_refused(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income", "debt"]]
    study = cola.Study(lambda asked: asked["income"].to_numpy() / 100, rows, target="score > 0.5")
    with pytest.raises(cola.ColaError, match="lots") as told:
        study.explain(rows.head(3).assign(income=["12.5", "lots", "3"]))
    assert told.value.code == "VALUE_INVALID"
    assert json.loads(study.lines(rows.head(2).assign(income=["lots", 90]))[0])["status"] == "invalid_input"
    with pytest.raises(cola.ColaError, match="there twice"):
        study.explain(pd.concat([rows, rows[["debt"]]], axis=1))
    assert study.explain(pd.concat([rows, rows.rename(columns={"income": "other"})[["other", "other"]]], axis=1).head(2)).plans["valid"].all()


def test_the_report_is_inline_and_offline(loans: tuple[pd.DataFrame, pd.Series], tmp_path: Path) -> None:
    rows, label = loans
    model = fitted(rows, label)
    result = cola.Study(model, rows, target=1).explain(rows[model.predict(rows) == 0].head(3))
    shown = result._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and 'src="http' not in shown
    for name in ("report.html", "explanation.json", "plans.csv", "plans.parquet"):
        result.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert json.loads((tmp_path / "explanation.json").read_text()) == result.explanation
    with pytest.raises(cola.ColaError, match="NAME_UNKNOWN"):
        result.save(tmp_path / "report.docx")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["explanation.json", "plans.csv", "plans.parquet", "report.html"]


def test_a_boundary_has_two_sides(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    from sklearn.svm import LinearSVC

    rows, label = loans[0][["income", "debt"]], loans[1]
    model = LinearSVC().fit(rows, label)
    for target in (0, 1):
        some = rows[model.predict(rows) != target].head(4)
        result = cola.Study(model, rows, target=target).explain(some)
        assert (model.predict(result.plans[rows.columns]) == target).all()
