/** Largest protected payload in bytes of UTF-8; exactly so many are accepted. @see UT-031, UT-042 */
export const MAXIMUM_PAYLOAD_BYTES = 262_144;
