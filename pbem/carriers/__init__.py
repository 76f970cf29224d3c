"""How letters and moves travel: by email, as files in folders, through git. Each way is a carrier.

What a carrier of a club must be able to do stands in ``pbem/club/carrier.py``, where another one begins.
"""
