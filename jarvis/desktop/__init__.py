"""The user's session: its screen, browser and apps, its clipboard, and the programs started in it."""
