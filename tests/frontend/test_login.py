from frontend.login import WRONG, login_page


def test_the_login_page_is_whole_in_itself_with_the_logo_and_the_themes_colours():
    page = login_page(is_wrong=False)

    assert "<svg" in page
    assert "--o-accent:" in page
    assert ".dark {" in page
    assert "src=" not in page
    assert "href=" not in page
    assert 'role="alert"' not in page


def test_a_wrong_token_is_said():
    assert f'<p role="alert">{WRONG}</p>' in login_page(is_wrong=True)
