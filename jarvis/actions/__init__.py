"""The actions, one file each. base.py defines an action, fields.py reads its fields."""
