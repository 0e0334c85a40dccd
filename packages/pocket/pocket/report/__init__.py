"""The report card: what a pocket checkpoint can do, on held-out seeds, beside chance and the checkers' own ceiling.

Calls point downward:

    card, running   the table, and the run that fills it: an exam at a time, kept as soon as it is done
    real_time       the policy through a server, on the machine's own clock, where that is asked for
    contact_sheet   what was made, to be looked at
    examiners       who asks: this process, or several with a thread each
    exams           which exams there are, and how many questions a full or a quick card asks
    pacing, pictures, starting, continuing, following, foreseeing, describing, upsampling, locating,
    timing, criticising, closed_loop
                    one exam each: its questions, the right answers, what knows nothing, and the marks
    candidate       who is examined: a checkpoint in the ordinary engine, asked as the studio asks
    likeness, depth_residual
                    what is read off pixels alone
    deciding        who drives the arm in the closed loop
    tables          what is on the tables there, and whether the named thing was lifted
    rendering       held-out episodes, rendered once, and which seeds they are drawn from
    exam            what an exam is, and how sure a figure is
"""
