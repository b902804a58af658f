"""Every class that is handed over as a structure: its scores, and what its plans are proven over."""

from __future__ import annotations

import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import cola_xai as cola

ESTIMATORS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(max_depth=6, random_state=0),
    "forest": RandomForestClassifier(30, max_depth=8, random_state=0),
    "extra trees": ExtraTreesClassifier(30, max_depth=8, random_state=0),
    "gradient boosting": GradientBoostingClassifier(n_estimators=40, random_state=0),
    "histogram boosting": HistGradientBoostingClassifier(max_iter=30, random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=30, random_state=0),
    "bagging": BaggingClassifier(DecisionTreeClassifier(max_depth=5), 15, max_features=0.7, random_state=0),
    "bagging of linear models": BaggingClassifier(LogisticRegression(), 5, random_state=0),
    "voting": VotingClassifier([("a", LogisticRegression()), ("b", DecisionTreeClassifier(max_depth=4))], voting="soft"),
    "logistic regression": LogisticRegression(),
    "support vectors": SVC(),
    "linear support vectors": LinearSVC(),
    "support vectors of a linear kernel": SVC(kernel="linear", max_iter=20_000),
    "linear discriminant": LinearDiscriminantAnalysis(),
    "network": MLPClassifier((16, 8), max_iter=300, random_state=0),
    "network of lines": MLPClassifier((4, 3), activation="identity", max_iter=300, random_state=0),
    "network of sigmoids": MLPClassifier((8,), activation="logistic", max_iter=300, random_state=0),
    "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
    "calibrated forest": CalibratedClassifierCV(RandomForestClassifier(10, max_depth=6, random_state=0), cv=3),
    "calibrated support vectors": CalibratedClassifierCV(SVC(), ensemble=False),
    "isotonic": CalibratedClassifierCV(GradientBoostingClassifier(n_estimators=20), cv=3, method="isotonic"),
    "ridge": Ridge(),
}
#: What no plan of is proven over all legal values by now.
SMOOTH = {"support vectors", "network", "network of sigmoids", "quadratic discriminant", "calibrated support vectors"}
COMBINED = {"bagging of linear models", "voting", "calibrated forest", "isotonic"}


def preprocessed(model: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    texts = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return make_pipeline(
        make_column_transformer(
            (numbers, make_column_selector(dtype_include="number")),
            (texts, make_column_selector(dtype_exclude="number")),
        ),
        model,
    )


def scores_of(model: Any, rows: pd.DataFrame) -> np.ndarray:
    for name in ("predict_proba", "decision_function", "predict"):
        if hasattr(model, name):
            return np.asarray(getattr(model, name)(rows)).reshape(len(rows), -1)
    raise AssertionError


def agree(study: cola.Study, model: Any, rows: pd.DataFrame, tolerance: float = 1e-9) -> None:
    ours, theirs = study.score(rows).to_numpy(), scores_of(model, rows)
    np.testing.assert_allclose(ours[:, -theirs.shape[1] :], theirs, rtol=0, atol=tolerance)


def opened(model: Any, rows: pd.DataFrame, **options: Any) -> cola.Study:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module="sklearn")
        return cola.Study(model, rows, **options)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("data", ["german", "heloc", "hotel"])
def test_scores_of_structure_and_object_are_the_same(name: str, data: str, request: pytest.FixtureRequest) -> None:
    rows, label = request.getfixturevalue(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = preprocessed(ESTIMATORS[name]).fit(rows, label)
    study = opened(model, rows)
    assert study.structure is not None
    agree(study, model, rows.head(1000))
    if name not in SMOOTH | COMBINED:
        assert study.structure in ("trees", "linear")


@pytest.mark.parametrize("scale", [MinMaxScaler(), StandardScaler(with_mean=False)])
def test_other_encoders(scale: Any, german: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = german
    texts = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    mixed = make_column_transformer(
        (scale, ["Age", "Duration"]),
        (texts, ["Sex", "Saving accounts"]),
        (OneHotEncoder(drop="first"), ["Housing"]),
        (OneHotEncoder(), ["Job", "Checking account"]),
        ("passthrough", ["Credit amount"]),
    )
    model = make_pipeline(mixed, GradientBoostingClassifier(n_estimators=20)).fit(rows, label)
    agree(opened(model, rows), model, rows)


def test_indicators_of_gaps_and_rare_categories(hotel: tuple[pd.DataFrame, pd.Series], heloc: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = hotel[0].copy(), hotel[1]
    rows.loc[rows.index[::7], ["adr", "market_segment"]] = None
    numbers = make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())
    many = {"min_frequency": 0.05, "handle_unknown": "infrequent_if_exist"}
    mixed = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (OneHotEncoder(**many), ["market_segment"]),
        (OneHotEncoder(max_categories=2, drop="first"), ["customer_type"]),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(**many)), ["deposit_type"]),
        sparse_threshold=0,
    )
    model = make_pipeline(mixed, LogisticRegression(max_iter=1000)).fit(rows, label)
    study = opened(model, rows, target=1)
    assert study.structure == "linear"
    agree(study, model, rows)
    gaps, known = heloc
    model = make_pipeline(SimpleImputer(add_indicator=True), RandomForestClassifier(10, max_depth=6)).fit(gaps, known)
    agree(opened(model, gaps), model, gaps)


def test_gaps_and_levels_that_an_order_was_not_made_of(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """A gap where there was none is an unknown level, not a gap of its own."""
    rows, label = loans[0].copy(), loans[1]
    order = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    encoder = make_column_transformer((order, ["home"]), remainder="passthrough")
    model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=4)).fit(rows[rows.home != "free"], label[rows.home != "free"])
    rows.loc[rows.index[::5], "home"] = None
    agree(opened(model, rows), model, rows)
    model = make_pipeline(encoder, DecisionTreeClassifier(max_depth=4)).fit(words := rows.astype({"home": "object"}).where(rows.notna(), None), label)
    agree(opened(model, words), model, words)
    rare = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    if hasattr(rare, "min_frequency"):  # from 1.3 on
        rare.set_params(min_frequency=100)
    model = make_pipeline(make_column_transformer((rare, ["home"]), remainder="passthrough"), LogisticRegression()).fit(rows, label)
    agree(opened(model, rows), model, rows)


@pytest.mark.parametrize("scale", [MinMaxScaler(), make_pipeline(StandardScaler(), MinMaxScaler((-1, 2)))])
def test_cuts_of_histogram_boosting_are_cells_to_the_last_bit(scale: Any, heloc: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = heloc
    model = make_pipeline(scale, HistGradientBoostingClassifier(max_iter=30)).fit(rows, label)
    study = opened(model, rows, target=1)
    assert study.structure == "trees"
    agree(study, model, rows)
    counts = make_pipeline(scale, HistGradientBoostingRegressor(loss="poisson", max_iter=10)).fit(rows, label)
    study = opened(counts, rows, target="score > 0.6")
    assert study.structure == "trees"
    agree(study, counts, rows)


def test_histogram_boosting_of_ordered_categories(german: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = german
    texts = list(rows.select_dtypes(exclude="number"))
    order = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    coded = make_column_transformer((order, texts), remainder="passthrough")
    boosting = HistGradientBoostingClassifier(categorical_features=list(range(len(texts))), max_iter=30)
    model = make_pipeline(coded, boosting).fit(rows, label)
    study = opened(model, rows, target=1)
    assert study.structure == "trees"
    agree(study, model, rows)


def test_columns_of_another_order_and_others_beside(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    numbers = rows[["income", "debt", "kids"]]
    encoder = make_column_transformer((OneHotEncoder(), ["home"]), remainder="passthrough")
    for model, table in [(LogisticRegression(), numbers), (make_pipeline(encoder, LogisticRegression(max_iter=1000)), rows)]:
        model.fit(table, label)
        other = rows[["kids", "home", "debt", "income"]]
        study = opened(model, other, target=1)
        assert study.structure == "linear"
        np.testing.assert_allclose(study.score(other), model.predict_proba(table), rtol=0, atol=1e-9)
        refused = other[model.predict(other[table.columns]) == 0].head(3)
        plans = study.explain(refused).plans
        assert list(plans.columns[-4:]) == list(other.columns) and (model.predict(plans[table.columns]) == 1).all()


def test_a_classifier_that_tells_labels_alone_is_asked(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans[0][["income", "debt"]], np.where(loans[1] == 1, "yes", "no")
    members = [("a", LogisticRegression()), ("b", DecisionTreeClassifier(max_depth=4)), ("c", DecisionTreeClassifier(max_depth=2))]
    model = VotingClassifier(members, voting="hard").fit(rows, label)
    refused = rows[model.predict(rows) == "no"].head(3)
    result = cola.Study(model, rows, target="yes").explain(refused)
    assert (model.predict(result.plans[rows.columns]) == "yes").all()


@pytest.mark.skipif(tuple(map(int, version("scikit-learn").split(".")[:2])) < (1, 4), reason="this scikit-learn does not read categories of pandas")
def test_histogram_boosting_with_categories(german: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = german
    typed = rows.astype({name: "category" for name in rows.select_dtypes(exclude="number")})
    model = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=30).fit(typed, label)
    study = opened(model, typed, target=1)
    assert study.structure == "trees"
    agree(study, model, typed)


@pytest.mark.parametrize("data", ["german", "heloc", "hotel"])
def test_gaussian_process(data: str, request: pytest.FixtureRequest) -> None:
    rows, label = request.getfixturevalue(data)
    for kernel in (2.0 * RBF(3.0), RBF(3.0)):
        model = preprocessed(GaussianProcessClassifier(kernel, optimizer=None)).fit(rows.head(150), label.head(150))
        study = opened(model, rows)
        assert study.structure == "GaussianProcessClassifier"
        agree(study, model, rows.head(1000))


@pytest.mark.parametrize("data", ["german", "heloc", "hotel"])
def test_boosters_of_other_libraries(data: str, request: pytest.FixtureRequest) -> None:
    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    rows, label = request.getfixturevalue(data)
    typed = rows.astype({name: "category" for name in rows.select_dtypes(exclude="number")})
    models = [
        xgboost.XGBClassifier(n_estimators=30, max_depth=4, enable_categorical=True, tree_method="hist"),
        xgboost.XGBClassifier(n_estimators=15, max_depth=4, enable_categorical=True, booster="dart", rate_drop=0.3),
        lightgbm.LGBMClassifier(n_estimators=30, verbose=-1),
    ]
    for model in models:
        model.fit(typed, label)
        study = opened(model, typed, target=1)
        assert study.structure == "trees"
        agree(study, model, typed.head(1000), 2e-7 if type(model).__name__ == "XGBClassifier" else 1e-9)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in SMOOTH | COMBINED | {"support vectors of a linear kernel"}])
def test_plans_of_trees_and_linear_models_are_proven_over_all_values(name: str, german: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = german
    fitted = preprocessed(ESTIMATORS[name]).fit(rows, label)
    proven_over_all_values(fitted, rows, name == "ridge")


@pytest.mark.parametrize("library", ["xgboost", "lightgbm", "catboost", "interpret"])
def test_plans_of_boosters_and_additive_models_are_proven_over_all_values(library: str, german: tuple[pd.DataFrame, pd.Series]) -> None:
    module = pytest.importorskip("interpret.glassbox" if library == "interpret" else library)
    rows, label = german[0] if library == "interpret" else german[0].select_dtypes("number"), german[1]
    model = {
        "xgboost": lambda: module.XGBClassifier(n_estimators=30, max_depth=4),
        "lightgbm": lambda: module.LGBMClassifier(n_estimators=30, verbose=-1),
        "catboost": lambda: module.CatBoostClassifier(iterations=30, depth=4, verbose=0, allow_writing_files=False),
        "interpret": lambda: module.ExplainableBoostingClassifier(interactions=2, max_rounds=50, outer_bags=2, n_jobs=1),
    }[library]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        proven_over_all_values(model.fit(rows, label), rows, False)


def proven_over_all_values(model: Any, rows: pd.DataFrame, number: bool) -> None:
    said = model.predict(rows) > 0.6 if number else model.predict(rows) == 1
    result = cola.Study(model, rows, target="score > 0.6" if number else 1, values="least").explain(rows[~said].head(3))
    assert {row["proof"]["scope"] for row in result.explanation["rows"]} == {"model"} and result.plans["valid"].all()
    again = model.predict(result.plans[rows.columns])
    assert ((again > 0.6) if number else (again == 1)).all()


def test_the_side_of_a_threshold_is_the_class(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """A search is the model it found; a model with a threshold of its own says a class from there on."""
    selection = pytest.importorskip("sklearn.model_selection")
    rows, label = loans[0][["income", "debt"]], loans[1]
    search = selection.GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}).fit(rows, label)
    assert opened(search, rows, target=1).structure == "linear"
    if not hasattr(selection, "FixedThresholdClassifier"):
        return
    words = np.where(label == 1, "yes", "no")
    for model, said, goals in [
        (selection.FixedThresholdClassifier(GradientBoostingClassifier(n_estimators=40), threshold=0.6), label, (0, 1)),
        (selection.FixedThresholdClassifier(LogisticRegression(), threshold=0.4, pos_label="no"), words, ("no", "yes")),
        (selection.TunedThresholdClassifierCV(LogisticRegression()), label == 1, (0, True)),
    ]:
        model.fit(rows, said)
        for goal in goals:
            study = opened(model, rows, target=goal)
            plans = study.explain(rows[model.predict(rows) != goal].head(6)).plans
            assert study.structure and plans["valid"].all()
            assert (model.predict(plans[rows.columns]) == goal).all()


def test_classes_are_what_they_are(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows = loans[0][["income", "debt"]]
    for values in ([False, True], [-1, 1], [0.0, 1.0], ["<=50K", ">50K"], ["a or b", "not a"], [" no ", "yes "]):
        said = np.asarray(values)[loans[1]]
        model = LogisticRegression(max_iter=1000).fit(rows, said)
        for goal in values:
            plans = opened(model, rows, target=goal).explain(rows[model.predict(rows) != goal].head(3)).plans
            assert (plans["label"].to_numpy() == goal).all() and (model.predict(plans[rows.columns]) == goal).all()


def test_scores_that_deny_the_label_are_told(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans[0][["income", "debt"]], loans[1]

    class Strict(LogisticRegression):
        def predict(self, X: Any) -> Any:
            return (self.predict_proba(X)[:, 1] > 0.9).astype(int)

    with pytest.warns(UserWarning, match="another class than its own scores for [0-9]+ of 200"):
        cola.Study(Strict().fit(rows, label), rows, target=1)
    two = RandomForestClassifier(5).fit(rows, np.column_stack([label, 1 - label]))
    with pytest.raises(cola.ColaError, match="answers 2 questions at once"):
        cola.Study(two, rows, target=1)


@pytest.mark.skipif(tuple(map(int, version("scikit-learn").split(".")[:2])) < (1, 4), reason="trees of this scikit-learn do not read gaps")
def test_trees_that_part_gaps_from_all_else(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    """Their cuts are infinite."""
    rows, label = loans[0][["income", "debt", "kids"]].copy(), loans[1].copy()
    rows.loc[rows.index[::5], "income"] = np.nan
    label.iloc[::5] = (np.arange(80) % 7 > 0).astype(int)
    for model in (DecisionTreeClassifier(random_state=0), RandomForestClassifier(10, random_state=0)):
        model.fit(rows, label)
        trees = getattr(model, "estimators_", [model])
        assert any(np.isinf(tree.tree_.threshold).any() for tree in trees)
        study = opened(model, rows, target=1)
        assert study.structure == "trees"
        agree(study, model, rows)
        plans = study.explain(rows[model.predict(rows) == 0].head(5)).plans
        assert plans["valid"].all() and (model.predict(plans[rows.columns]) == 1).all()


@pytest.mark.parametrize("base", [LinearSVC(), RidgeClassifier()])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibrated_distances(base: Any, method: str, ensemble: bool, loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    model = preprocessed(CalibratedClassifierCV(base, cv=3, method=method, ensemble=ensemble)).fit(rows, label)
    study = opened(model, rows, target=1)
    assert study.structure == ("linear" if method == "sigmoid" and not ensemble else "CalibratedClassifierCV")
    agree(study, model, rows)


def test_votes_without_the_dropped_and_columns_from_one_to_another(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    members = [("a", LogisticRegression()), ("b", "drop"), ("c", DecisionTreeClassifier(max_depth=3))]
    encoder = make_column_transformer((StandardScaler(), slice("income", "debt")), (OneHotEncoder(), ["home"]), ("drop", ["kids"]))
    model = make_pipeline(encoder, VotingClassifier(members, voting="soft", weights=[1, 5, 2])).fit(rows, label)
    study = opened(model, rows, target=1)
    assert study.structure == "VotingClassifier"
    agree(study, model, rows)


def test_a_small_share_of_a_float32_library_is_as_near_as_the_large_one_beside_it() -> None:
    from cola_xai._study import _room

    assert (_room(np.array([[0.98, 0.02]]), True) > 1.2e-7).all()
    np.testing.assert_array_equal(_room(np.array([[0.98, 0.02], [-4.0, 2.0]]), False), [[1e-9], [4e-9]])


def test_a_level_the_model_refuses_is_told(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    encoder = make_column_transformer((OneHotEncoder(), ["home"]), remainder="passthrough")
    known = rows["home"] != "free"
    model = make_pipeline(encoder, LogisticRegression(max_iter=1000)).fit(rows[known], label[known])
    with pytest.warns(UserWarning, match="asked as a black box: as a structure it does not know the level 'free'"):
        study = cola.Study(model, rows, target=1)
    refused = rows[known][model.predict(rows[known]) == 0].head(3)
    assert (model.predict(study.explain(refused).plans[rows.columns]) == 1).all()


def test_a_structure_that_scores_otherwise_is_not_used(loans: tuple[pd.DataFrame, pd.Series]) -> None:
    rows, label = loans
    numbers = rows[["income", "debt", "kids"]]
    model = LogisticRegression().fit(numbers, label)

    class Shifted(LogisticRegression):
        def predict_proba(self, X: Any) -> Any:
            return 0.5 + 0.5 * (super().predict_proba(X) - 0.5)

    Shifted.__name__, Shifted.__module__ = "LogisticRegression", "sklearn.linear_model"
    other = Shifted()
    other.__dict__.update(model.__dict__)
    with pytest.warns(UserWarning, match="asked as a black box") as told:
        study = cola.Study(other, numbers, target=1)
    assert len(told) == 1 and study.structure is None
    refused = numbers[model.predict(numbers) == 0].head(3)
    result = study.explain(refused)
    np.testing.assert_allclose(result.plans["score"], other.predict_proba(result.plans[numbers.columns])[:, 1])
