"""Every word that the scripts say, one file a place. They travel to the browser inside the served HTML, where `{name}`
is filled in."""
