"""Find what a name means: a site, an app, or a name of the person's own."""
