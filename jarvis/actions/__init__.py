"""The actions, a file each; base.py says what an action is, fields.py what its fields are read as."""
