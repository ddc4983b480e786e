/// What keeps a store from using its folder.
package struct FolderTrouble: Sendable {
    /// Why nothing can be kept.
    package var writing: CacheError
    /// Why what is kept can't be read either; nil if it can.
    package var reading: CacheError?
}
