/** What stands among the attributes of objects in files but is none of a label's (spec/formats.md 3.2 and 3.4). */
import type { Place } from './errors.ts'
import { type JsonRecord, readFlag, readNumber } from './json/fields.ts'
import type { Label } from './model.ts'

export interface Flags {
  occluded: boolean
  outside: boolean
  /** Degrees, [0, 360). */
  rotation: number
  source: string
  /** As it is given (`Intake.scoreFor`). */
  score: unknown
  track: TrackPart | undefined
}

/** The track that an object names. */
export interface TrackPart {
  id: string
  isKeyframe: boolean
  /** The file lacks keyframes: every shape is one, and an id may repeat on a frame. */
  isImplied: boolean
}

const reserved = new Set(
  'occluded outside keyframe track_id rotation source score frame is_crowd'.split(' '),
)
const sources = new Set(['manual', 'auto', 'semi-auto', 'file', 'consensus'])

/** @param attributes By name; booleans and numbers also as texts. */
export function flagsOf(attributes: JsonRecord, place: Place): Flags {
  const { occluded, outside, rotation, source, score } = attributes
  return {
    occluded: readFlag(occluded ?? false, 'occluded', place),
    outside: readFlag(outside ?? false, 'outside', place),
    rotation: degrees(readNumber(numberOf(rotation ?? 0), 'rotation', place)),
    source: typeof source === 'string' && sources.has(source) ? source : 'file',
    score: numberOf(score),
    track: isOfTrack(attributes) ? trackOf(attributes, place) : undefined,
  }
}

const trackOf = ({ track_id, keyframe }: JsonRecord, place: Place): TrackPart => ({
  id: String(track_id),
  isKeyframe: !isGiven(keyframe) || readFlag(keyframe, 'keyframe', place),
  isImplied: !isGiven(keyframe),
})

/** What is for the label to declare; `is_crowd` only where it does. */
export function customOf(attributes: JsonRecord, label?: Label): [name: string, value: unknown][] {
  const custom: [name: string, value: unknown][] = []
  for (const name in attributes) {
    const isCustom = !reserved.has(name) || (name === 'is_crowd' && label && hasCrowd(label))
    if (isCustom) custom.push([name, attributes[name]])
  }
  return custom
}

/** Whether the label declares `is_crowd`. */
export const hasCrowd = ({ attributes }: Label): boolean =>
  attributes.some(({ name }) => name === 'is_crowd')

/** Whether the object is part of a track. Tools without keyframes write -1 or an empty text for no track. */
export const isOfTrack = ({ track_id, keyframe }: JsonRecord): boolean =>
  isGiven(track_id) && (isGiven(keyframe) || (track_id !== '' && Number(track_id) !== -1))

/** An angle within one turn. */
export function degrees(angle: number): number {
  const rest = angle % 360
  return rest < 0 ? rest + 360 : rest
}

/** Tools write null for what an object does not have. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
    ? Number(value)
    : value
