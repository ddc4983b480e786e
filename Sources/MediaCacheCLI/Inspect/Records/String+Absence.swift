extension String {
    /// This text; nil where it's empty, which in a playlist's model is how an absent one reads.
    var unlessEmpty: String? { isEmpty ? nil : self }
}
