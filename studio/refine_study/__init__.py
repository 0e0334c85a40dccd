"""Does refining help? A prompt set with and without the loop, judged by its critic, and by rules where there are."""

from studio.refine_study.report import contrasts_of, markdown_of
from studio.refine_study.running import Rules, StudyRun
from studio.refine_study.trials import Contrast, Picture, Plan, Study, Trial

__all__ = ["Contrast", "Picture", "Plan", "Rules", "Study", "StudyRun", "Trial", "contrasts_of", "markdown_of"]
