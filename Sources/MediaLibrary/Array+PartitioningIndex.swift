extension Array {
    /// Returns the index of the first element that satisfies a condition; `count` if none does. All elements after the
    /// first match must satisfy it, too.
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
