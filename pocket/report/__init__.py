"""The report card: what a pocket checkpoint can do, on held-out seeds, beside chance and the checkers' own ceiling.

Calls point downward:

    card, running   the table, and the run that fills it: an exam at a time, kept as soon as it is done
    exams           which exams there are, and how many questions a full or a quick card asks
    pictures, starting, continuing, following, foreseeing, finding_actions, describing, upsampling, locating, timing,
    criticising, closed_loop
                    one exam each: its questions, the right answers, what knows nothing, and the marks
    candidate       who is examined: a checkpoint in the ordinary engine, asked as the studio asks
    likeness, onsets, depth_residual
                    what is read off pixels and sound alone
    deciding        who drives the arm in the closed loop
    rendering       held-out episodes, rendered once
    exam, intervals, seeds
                    what an exam is, how sure a figure is, and which seeds it is drawn from
"""
