/** Flags of objects that files store among the attributes although no label declares them. */

import type { DatasetLabel } from '../model/dataset.ts'
import type { ErrorLocation } from '../report/errors.ts'
import { type JsonRecord, readFlag, readNumber } from '../text/json-fields.ts'

export interface Flags {
  occluded: boolean
  outside: boolean
  /** Degrees, [0, 360). */
  rotation: number
  /** Value as written in the file (see `Intake.sourceFor`). */
  source: unknown
  /** Value as written in the file (see `Intake.scoreFor`). */
  score: unknown
  track: TrackPart | undefined
}

/** Track that an object refers to. */
export interface TrackPart {
  id: string
  isKeyframe: boolean
  /** True when the file has no keyframes: every shape is one, and an id may repeat on a frame. */
  isImplied: boolean
}

const reserved = new Set(
  'occluded outside keyframe track_id rotation source score frame is_crowd'.split(' '),
)

/**
 * Reads the flags from attributes.
 * @param attributes Values by name; booleans and numbers may be texts.
 */
export function flagsOf(attributes: JsonRecord, location: ErrorLocation): Flags {
  const { occluded, outside, rotation, source, score } = attributes
  return {
    occluded: readFlag(occluded ?? false, 'occluded', location),
    outside: readFlag(outside ?? false, 'outside', location),
    rotation: normalizeAngle(readNumber(numberOf(rotation ?? 0), 'rotation', location)),
    source,
    score: numberOf(score),
    track: isOfTrack(attributes) ? trackOf(attributes, location) : undefined,
  }
}

const trackOf = ({ track_id, keyframe }: JsonRecord, location: ErrorLocation): TrackPart => ({
  id: String(track_id),
  isKeyframe: !isGiven(keyframe) || readFlag(keyframe, 'keyframe', location),
  isImplied: !isGiven(keyframe),
})

/** Returns the attributes that are not flags; `is_crowd` only when the label declares it. */
export function customOf(
  attributes: JsonRecord,
  label?: DatasetLabel,
): [name: string, value: unknown][] {
  const custom: [name: string, value: unknown][] = []
  for (const name in attributes) {
    const isCustom = !reserved.has(name) || (name === 'is_crowd' && label && hasCrowd(label))
    if (isCustom) custom.push([name, attributes[name]])
  }
  return custom
}

/** Returns whether the label declares `is_crowd`. */
export const hasCrowd = ({ attributes }: DatasetLabel): boolean =>
  attributes.some(({ name }) => name === 'is_crowd')

/** Returns whether the object is part of a track. Tools without keyframes write -1 or an empty text for no track. */
export const isOfTrack = ({ track_id, keyframe }: JsonRecord): boolean =>
  isGiven(track_id) && (isGiven(keyframe) || (track_id !== '' && Number(track_id) !== -1))

/** Normalizes an angle to one turn. */
export function normalizeAngle(angle: number): number {
  const rest = angle % 360
  return rest < 0 ? rest + 360 : rest
}

/** Tools write null for missing values. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value))
    ? Number(value)
    : value
