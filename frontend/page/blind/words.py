"""What Blind A/B says beside what every page does, and its keys."""

from __future__ import annotations

from frontend.page.keys import Keys

KEYS: Keys = (
    (("1", "2", "0"), "Blind A/B: the first was better, the second was, neither"),
    (("Q", "W"), "Blind A/B: less or more progress of the first"),
    (("O", "P"), "Blind A/B: less or more progress of the second"),
    (("Backspace",), "Blind A/B: undo your last verdict"),
)

WORDS: dict[str, str] = {
    "blind.empty": "Find out which of two policies does better",
    "blind.empty_hint": "Two policies do the same tasks in turns. People watch both videos without names, say which "
    "did better and how far each came. The command “orrery blind-test” runs and records both on the simulated table; "
    "videos of a real arm are added here.",
    # a new test
    "blind.new": "New blind test",
    "blind.title": "Title",
    "blind.title_hint": "Name of the test",
    "blind.one": "One policy",
    "blind.other": "The other policy",
    "blind.policy_hint": "Name, hidden while people judge",
    "blind.seed": "Seed of the order",
    "blind.create": "Create test",
    # tests
    "blind.tests": "Blind tests",
    "blind.num_pairs": "{count} pairs",
    "blind.num_pairs_one": "1 pair",
    "blind.num_verdicts": "{count} verdicts",
    "blind.num_verdicts_one": "1 verdict",
    "blind.remove": "Delete test",
    "blind.sure": "Delete this test with its verdicts? This cannot be undone. The videos stay in the library.",
    "blind.sure_yes": "Delete test",
    "blind.sure_no": "Keep",
    "blind.views": "View of the test",
    "blind.view_judge": "Judge",
    "blind.view_add": "Add pairs",
    "blind.view_scores": "Scores",
    # a pair of a real arm
    "blind.add_hint": "Let both policies do the same task from the same start, and record each. The person who adds a "
    "pair knows who is who: let somebody else judge it.",
    "blind.task_name": "Name of the task",
    "blind.task_name_hint": "Each task once, for example cup left",
    "blind.task": "Instruction",
    "blind.video_of": "Video of {policy}",
    "blind.success_of": "{policy} succeeded",
    "blind.unknown": "Not measured",
    "blind.yes": "Yes",
    "blind.no": "No",
    "blind.add": "Add pair",
    "blind.added": "The pair was added.",
    # judging
    "blind.rater": "Judging as",
    "blind.left": "{done} judged · {left} left",
    "blind.done_share": "Your verdicts so far",
    "blind.undo": "Undo",
    "blind.first": "First",
    "blind.second": "Second",
    "blind.progress_first": "Progress of the first",
    "blind.progress_second": "Progress of the second",
    "blind.better_first": "First better",
    "blind.better_second": "Second better",
    "blind.better_tie": "Tie",
    "blind.all_done": "Nothing left to judge for you",
    "blind.all_done_hint": "Change the name above to judge as another person.",
    "blind.no_pairs": "This test has no pairs yet",
    "blind.no_pairs_hint": "Add videos of a real arm here, or let orrery blind-test drive the simulated table.",
    # scores
    "blind.policy": "Policy",
    "blind.rating": "Rating",
    "blind.progress": "Progress",
    "blind.record": "Won · lost · tied",
    "blind.success": "Success",
    "blind.of_test": "This test",
    "blind.of_all": "All blind tests",
    "blind.scores_hint": "Bradley–Terry: 1000 is the mean, 400 points more are odds of 10 to 1; from ten verdicts on. "
    "95 % intervals; where they overlap, the order may be chance.",
}
