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
  /** Present when the object is part of a track. */
  track?: { id: string; isKeyframe: boolean }
}

const reserved = new Set(
  'occluded outside keyframe track_id rotation source score frame is_crowd'.split(' '),
)
const sources = new Set(['manual', 'auto', 'semi-auto', 'file', 'consensus'])

/** @param attributes By name; booleans and numbers also as texts. */
export function flagsOf(attributes: JsonRecord, place: Place): Flags {
  const flag = (name: string): boolean => readFlag(attributes[name] ?? false, name, place)
  const { track_id: trackId, keyframe, source } = attributes
  return {
    occluded: flag('occluded'),
    outside: flag('outside'),
    rotation: degrees(readNumber(numberOf(attributes.rotation ?? 0), 'rotation', place)),
    source: typeof source === 'string' && sources.has(source) ? source : 'file',
    score: numberOf(attributes.score),
    ...(isGiven(trackId) && isGiven(keyframe)
      ? { track: { id: String(trackId), isKeyframe: flag('keyframe') } }
      : {}),
  }
}

/** What is for the label to declare; `is_crowd` only where it does. */
export function customOf(attributes: JsonRecord, label?: Label): [name: string, value: unknown][] {
  const hasCrowd = label?.attributes.some(({ name }) => name === 'is_crowd') === true
  return Object.entries(attributes).filter(
    ([name]) => !reserved.has(name) || (name === 'is_crowd' && hasCrowd),
  )
}

/** Whether the object is part of a track. */
export const isOfTrack = ({ track_id, keyframe }: JsonRecord): boolean =>
  isGiven(track_id) && isGiven(keyframe)

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
