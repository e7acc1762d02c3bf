class A:
	# of f
	def f(self):
		return 1


# of B
class B:

	def g(self):
		if x:
			def h():
				pass

	# of nothing

	def i(self):
	    return 2
