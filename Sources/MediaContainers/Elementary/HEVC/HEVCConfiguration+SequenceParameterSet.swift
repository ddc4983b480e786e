extension HEVCConfiguration {
    /// Creates a record with what a sequence parameter set says, and without sets.
    public init(_ set: HEVCSequenceParameterSet) {
        self.init()
        profileSpace = UInt8(set.profile.space)
        isHighTier = set.profile.isHighTier
        profile = UInt8(set.profile.index)
        compatibility = set.profile.compatibility
        constraints = set.profile.constraints
        level = set.profile.level
        chromaFormat = UInt8(set.chromaFormat)
        lumaBitDepth = set.lumaBitDepth
        chromaBitDepth = set.chromaBitDepth
        temporalLayers = UInt8(set.temporalLayers)
        isTemporalIDNested = set.isTemporalIDNested
    }
}
