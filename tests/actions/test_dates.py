"""A date that the model writes is held against the weekday, day, month and year that were said."""

from datetime import date, timedelta

import pytest

from jarvis.actions.fields import KINDS, Unusable, values
from jarvis.core.errors import Refused
from jarvis.core.tables import Row, Table
from jarvis.core.types import Facts
from jarvis.language.dates import can_be, read_date
from tests.actions.test_fields import action, field, is_said

NOW = date(2026, 11, 26)  # a Thursday

# The words, then dates that can be what they name, then some that can't.
NAMED = [
    ("3 days in Lisbon in May", "2027-05 2027-05-13", "2027-06 2027-04-30"),
    ("3 days in lisbon in may under $1500", "2027-05", "2027-03"),
    ("May 2027, two weeks", "2027-05", "2027-06"),
    ("some time in early June", "2027-06 2027-06-02", "2027-07"),
    ("flights on Friday 14 May", "2027-05-14", "2027-05-13 2027-05-21 2027-06-14"),
    ("flights on Thursday 14 May", "", "2027-05-14 2027-05-13"),
    ("Friday, May 14th", "2027-05-14", "2027-05-13 2027-05-07"),
    ("May 14, Friday", "2027-05-14", "2027-05-15"),
    ("on the 13th", "2027-05-13 2026-12-13", "2027-05-14"),
    ("Friday the 13th", "2027-08-13", "2027-05-13"),
    ("any Friday in May", "2027-05-07 2027-05-28", "2027-05-13 2027-06-04"),
    ("Saturdays in June", "2027-06-05", "2027-06-06 2027-05-01"),
    ("13 to 17 May", "2027-05-13 2027-05-17", "2027-05-15 2027-06-13"),
    ("May 13-17", "2027-05-13 2027-05-17", "2027-05-14"),
    ("from 13 May until 2 June", "2027-05-13 2027-06-02", "2027-06-13 2027-05-02"),
    ("from Friday 14 to Monday 17 May 2027", "2027-05-14 2027-05-17", "2027-05-15"),
    ("leave 14 May, back Friday", "2027-05-14 2027-05-21", "2027-05-20 2027-06-11"),
    ("2027-05-13", "2027-05-13", "2027-05-14 2027-06"),
    ("2027-04-03 for a week", "2027-04-03", "2027-03-04"),
    ("on 13.5.", "2027-05-13", "2027-05-14 2027-06-13"),
    ("13/05/2027", "2027-05-13", "2027-06-13"),
    ("5/13", "2027-05-13", "2027-06-13"),
    ("Friday 13/05/2027", "", "2027-05-13"),
    ("tue 5/4", "2027-05-04", "2027-04-05 2027-05-05"),
    ("from Friday 14 May", "2027-05-14", "2027-05"),
    ("14 May at 7.30", "2027-05-14", "2027-07-30 2027-05-30"),
    ("14 May, $12.10 a night, rated 4.5, 24/7", "2027-05-14", "2027-10-12"),
    ("at the end of May", "2027-05 2027-05-28", "2027-06"),
    ("mid-May, for 2000 euros", "2027-05", "2027-06"),
    ("between May and June", "2027-05 2027-06", "2027-07"),
    ("in May 2000 dollars", "2027-05", "2027-06"),
    ("am Freitag morgen, 14. Mai", "2027-05-14", "2026-11-27"),
    ("sexta-feira, 14 de maio", "2027-05-14", "2027-05-13"),
    ("for this family, next to the station", "", "2027-05"),
    ("to Easter Island", "", "2027-05"),
    ("tomorrow", "2026-11-27", "2026-11-28 2026-11-26"),
    ("today", "2026-11-26", "2026-11-27"),
    ("for 2 in January", "2027-01", "2027-02 2027-02-01"),
    ("under 300 dollars in march", "2027-03", "2027-05"),
    ("I may fly on 3 June", "2027-06-03", "2027-05-03"),
    ("a week of sun in August", "2027-08-03", "2027-09-05"),
    ("am Freitag, den 14. Mai", "2027-05-14", "2027-05-13"),
    ("im September", "2027-09", "2027-08"),
    ("vom 3. bis 7. Juni", "2027-06-03 2027-06-07", "2027-06-04"),
    ("vendredi 14 mai", "2027-05-14", "2027-05-15"),
    ("du 3 au 7 juin", "2027-06-03", "2027-06-05"),
    ("el 13 de mayo de 2027", "2027-05-13", "2027-05-14"),
    ("en agosto", "2027-08", "2027-07"),
    ("venerdì 14 maggio", "2027-05-14", "2027-05-16"),
    ("em março", "2027-03", "2027-05"),
    ("in 2027", "2027-05", "2026-12"),
    ("next week", "2026-12-03 2027-05", ""),
    ("la semaine prochaine", "2026-12-03", ""),
    ("in two weeks", "2026-12-10", ""),
    ("for two weeks, under $900", "", "2026-12-10"),
    ("over Christmas", "2026-12-24", ""),
    ("for the weekend", "2026-11-27 2026-11-29", "2026-11-26 2026-12-02"),
    ("a weekend in Porto in May", "2027-05 2027-05-14 2027-05-16", "2027-05-13 2027-06-04 2027-06"),
    ("un fin de semana en mayo", "2027-05-15", "2027-05-19"),
    ("not in May", "", "2027-05 2027-05-13 2027-06"),
    ("in May or June, but not on a Friday", "2027-06-03", "2027-05-14 2027-07"),
    ("nicht am 14. Mai, sondern im Juni", "2027-06", "2027-05-14 2027-05"),
    ("between 10 and 14 May", "2027-05-10 2027-05-12 2027-05-14", "2027-05-09 2027-05-15 2027-06-12"),
    ("entre le 3 et le 7 juin", "2027-06-05", "2027-06-08 2027-05-05"),
    ("between May and July", "2027-06 2027-06-02", "2027-08"),
    ("June, 2 adults", "2027-06", "2027-05"),
    ("from 5.4. on", "2027-04-05", "2027-05-04"),
    ("ein Hotel hier, im Mai", "2027-05", "2026-11-25"),
    ("on sat 15 may or sun 16 may", "2027-05-15 2027-05-16", "2027-05-14"),
    ("don't fly on a Friday in May", "2027-05 2027-05-13", "2027-05-14"),
    ("I can't leave on Monday 17 May", "", "2027-05-17"),
    ("vol pas cher en mai", "2027-05", "2027-06"),
    ("Thursday 14 to Monday 17 May", "2027-05-17", "2027-05-14"),
    ("14 May and 2 adults", "2027-05-14", "2027-05-02"),
    ("the second week of may", "2027-05", "2027-06"),
    ("between December and January", "2026-12 2027-01", "2027-05"),
    ("take the 2nd hotel", "", "2027-05-02"),
    ("flights to Rome", "", "2027-05 2026-12-01"),
    ("3 nights, 2 adults, under $500", "", "2027-03-02"),
]
# Then some for a day that is over or still to come.
OF_A_DAY = [
    ("bought 5 on Friday", "2026-11-20 2026-11-27", "2026-11-13 2026-12-04 2026-11-26"),
    ("sold them on Thursday", "2026-11-19 2026-11-26 2026-12-03", "2026-11-12 2026-11-25"),
    ("on Friday 20 November", "2026-11-20 2020-11-20", "2026-11-27 2025-11-20"),
    ("20 November 2024", "2024-11-20", "2026-11-20"),
    ("on 2019-03-04", "2019-03-04", "2019-04-03"),
    ("today", "2026-11-26", "2026-11-25"),
    ("yesterday, at 112.30", "2026-11-25", "2026-11-26 2026-11-24"),
    ("5 VWCE gestern gekauft", "2026-11-25", "2026-11-26"),
    ("hier, 5 VWCE", "2026-11-25", "2026-11-24"),
    ("ayer", "2026-11-25", "2026-11-26"),
    ("ieri", "2026-11-25", "2026-11-26"),
    ("ontem", "2026-11-25", "2026-11-26"),
    ("heute", "2026-11-26", "2026-11-25"),
    ("bought 5 VWCE at 112.30, fee 1.50", "", "2026-11-26 2026-12-30"),
]
CASES = [(words, each, True) for words, good, _ in NAMED for each in good.split()]
CASES += [(words, each, False) for words, _, bad in NAMED for each in bad.split()]


@pytest.mark.parametrize(("words", "written", "can"), CASES)
def test_a_date_counts_where_nothing_that_was_said_disagrees(words, written, can):
    assert bool(can_be(written, words, NOW, range(331))) is can


@pytest.mark.parametrize(("words", "good", "bad"), OF_A_DAY)
def test_a_day_that_is_over_counts_too_and_a_weekday_is_the_last_or_the_next(words, good, bad):
    met = [bool(can_be(each, words, NOW, range(-7, 8))) for each in f"{good} {bad}".split()]
    assert met == [True] * len(good.split()) + [False] * len(bad.split())


def test_what_is_said_now_comes_before_what_was_said_in_the_turn_before():
    leaves = date.today() + timedelta(40)  # flights are sold 330 days ahead, so it is in no certain month
    day, month, later = str(leaves), f"{leaves:%B}", f"{leaves + timedelta(60):%B}"
    assert is_said("date", day, "a cheaper hotel", f"3 days in {month}")
    assert is_said("date", day, f"leave on\n{day}")
    assert not is_said("date", day, f"no, in {later}", f"3 days in {month}")
    assert is_said("date", day, "a hotel under $99.50", f"3 days in {month}")  # that is no day


@pytest.mark.parametrize(
    "written",
    ["2027-02-30", "2027-13", "13 May", "tomorrow", "", "2027-5-1", "2020-01-01", "2099-01-01", "2020-01"],
)
def test_what_is_no_day_that_can_be_sold_is_told(written):
    with pytest.raises((Unusable, Refused), match=r"is no day|is past|is too far ahead"):
        values(action(field("date")), {"it": written}, Facts({}))


def test_a_day_has_no_limit_and_is_no_month():
    for written in ("2020-01-01", "2099-01-01"):
        assert values(action(field("day")), {"it": written}, Facts({})) == {"it": written}
    for written in ("2026-11", "yesterday", "2026-02-30"):
        with pytest.raises(Unusable, match=r"is no day: write it as 2027-05-13$"):
            values(action(field("day")), {"it": written}, Facts({}))
    yesterday = str(date.today() - timedelta(1))
    assert is_said("day", yesterday, "sold 5 yesterday")
    assert not is_said("day", str(date.today()), "sold 5 yesterday")


def test_the_month_that_it_is_begins_today():
    assert read_date("2026-11", NOW) == NOW
    assert read_date("2026-12", NOW) == date(2026, 12, 1)


def test_a_place_is_what_was_said_however_it_is_spelt():
    assert is_said("place", "San José", "from san jose to boston")
    assert is_said("place", "北京", "去北京三天")
    assert not is_said("place", "BOS", "from Boston")
    assert not is_said("place", "SEA", "to the sea")
    assert is_said("place", "JFK", "from JFK to Lisbon")
    assert not is_said("place", "Rome", "romeo and juliet")


def test_a_place_that_they_were_asked_about_is_picked_by_its_line_or_its_name():
    rows = tuple(Row("", {}, private={"place": f"Naples, {each}"}) for each in ("Florida", "Italy"))
    asked, is_picked = Facts({}, tables=(Table("place", (), rows),)), KINDS["place"].is_said
    for words in ("the second", "2", "the one in Italy"):
        assert is_picked("Naples, Italy", f"from Boston on 1 May\n{words}", asked)
        assert not is_picked("Naples, Florida", f"from Boston on 1 May\n{words}", asked)
