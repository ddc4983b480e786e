extension Array {
    /// Returns the first index from which all elements satisfy a condition. No earlier element may satisfy it.
    func partitioningIndex(_ condition: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
