// Behaviour
