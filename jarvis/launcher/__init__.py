"""What a name means: sites, apps, and the person's own names."""
