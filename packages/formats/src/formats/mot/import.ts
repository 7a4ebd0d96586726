/** Imports MOT 1.1. Rows are streamed; only tracks are kept in memory (docs/spec/formats.md#mot). */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { createIntake, createShape, type ImportIntake, shareOf } from '../../importing/intake.ts'
import { openArchive } from '../../importing/open-archive.ts'
import { createTrackBuilder, type TrackBuilder } from '../../importing/rebuild-tracks.ts'
import type {
  ConversionRun,
  DatasetLabel,
  Imported,
  ImportTarget,
  TargetFrame,
} from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { assertNear } from '../../text/numbers.ts'
import { type MotRow, rowsIn } from './rows.ts'
import {
  findSequences,
  type MotSequence,
  officialLabels,
  officialOrigin,
  readInfo,
  readLabels,
  type SequenceInfo,
} from './sequences.ts'

export async function* importMot(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const zip = await openArchive(source, run)
  const [sequence, ...others] = findSequences(zip)
  if (!sequence) return
  if (others.length > 0) {
    const names = [sequence, ...others.slice(0, 9)].map(({ root }) => root || './').join(', ')
    throw new FormatError(`several sequences, expected one: ${names}`)
  }
  const firstFrame = await findFirstFrame(zip, sequence, target, run)
  yield* importSequence({ zip, sequence, firstFrame }, target, run)
}

export interface SequenceSource {
  zip: ZipReader
  sequence: MotSequence
  /** Frame of the task that the file counts as its first. */
  firstFrame?: number
  /** Frames of the task by number in the file; absent when numbers are positions. */
  frames?: ReadonlyMap<number, number> | undefined
}

/** State of an import across all rows. */
interface MotImport {
  intake: ImportIntake
  tracks: TrackBuilder
  /** Labels of tracks, from their first rows. */
  trackLabels: Map<number, DatasetLabel>
  isDetections: boolean
  classes: Classes
  /**
   * Returns the frame of a row.
   * @throws {FormatError} for a number without a frame
   */
  frameOf(row: MotRow): TargetFrame
}

export async function* importSequence(
  source: SequenceSource,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const { zip, sequence } = source
  const intake = createIntake(target, run)
  noteMismatch(await readInfo(zip, sequence), intake)
  const state: MotImport = {
    intake,
    tracks: createTrackBuilder(intake, numberOf(source)),
    trackLabels: new Map(),
    isDetections: sequence.isDetections,
    classes: await classesOf(source, intake),
    frameOf: frameFinder(source, target),
  }
  let count = 0
  for await (const rows of rowsIn(zip, sequence.rows, progressOf(sequence, run))) {
    count += rows.length
    for (const row of rows) {
      yield* importRow(row, state)
    }
  }
  intake.check()
  if (count === 0) intake.skip('ignored-file', 'the file has no rows', { file: sequence.rows.name })
  for (const track of state.tracks.build()) yield* intake.track(track)
}

/** Returns the box of a row; empty when it is added to a track or skipped. */
function importRow(row: MotRow, state: MotImport): Imported[] {
  const { intake, tracks, isDetections } = state
  const { location, points } = row
  const frame = state.frameOf(row)
  const { nameOf, origin } = state.classes
  const found = intake.takes(frame, location)
    ? intake.labelFor(nameOf(row), location, origin)
    : undefined
  if (!found) return []
  if (row.width <= 0 || row.height <= 0) {
    intake.skip('degenerate-shape', 'the box has no area', location)
    return []
  }
  const isOfTrack = row.track > 0 && !isDetections
  const label = isOfTrack ? trackLabel(row, found, state) : found
  if (row.track === 0 && !isDetections)
    intake.note('converted', 'dropped-shape-type', 'track_id 0 is of no track', location)
  if (row.track > 0 && isDetections)
    intake.note('converted', 'dropped-shape-type', 'detections are read without tracks', location)
  assertNear(points, location)
  const values = isDetections ? [] : valuesOf(row, label)
  const shape = {
    type: 'rectangle' as const,
    frame: frame.frame,
    label_id: label.id,
    points,
    occluded: row.visibility !== undefined && row.visibility <= 0,
    score: isDetections ? intake.scoreFor(row.confidence, row.location) : 1,
    attributes: intake.valuesFor(label, values, location),
  }
  if (!isOfTrack) return intake.shape(shape)
  tracks.add(String(row.track), label, createShape(shape), true, location)
  return []
}

/** Returns the label of a track, which is the label of its first row. */
function trackLabel(
  { track, location }: MotRow,
  found: DatasetLabel,
  { intake, trackLabels }: MotImport,
): DatasetLabel {
  const label = trackLabels.get(track)
  if (!label) trackLabels.set(track, found)
  if (label && label !== found) {
    const reason = 'the class of a track changes, its first one is kept'
    intake.note('converted', 'dropped-attribute', reason, location)
  }
  return label ?? found
}

type Values = [name: string, value: number | boolean][]

/**
 * Returns the columns that need an attribute: a partial visibility, and rows to ignore. Other values are expressed by
 * the box and its occlusion.
 */
export function attributesOf({ visibility, confidence }: MotRow): Values {
  const values: Values = []
  if (visibility !== undefined && visibility > 0 && visibility < 1)
    values.push(['visibility', visibility])
  if (confidence === 0) values.push(['ignored', true])
  return values
}

/** Returns these values, and all other values that the label declares. */
function valuesOf(row: MotRow, label: DatasetLabel): Values {
  const values = attributesOf(row)
  for (const { name } of label.attributes) {
    const value = name === 'visibility' ? row.visibility : isIgnored(name, row)
    if (value !== undefined && !values.some(([known]) => known === name)) values.push([name, value])
  }
  return values
}

const isIgnored = (name: string, { confidence }: MotRow): boolean | undefined =>
  name === 'ignored' && confidence !== undefined ? confidence === 0 : undefined

// ---- classes

interface Classes {
  /** Returns the name of a class; empty for no class. */
  nameOf(row: MotRow): string
  /** Source of the names when they are not from the file. */
  origin?: string
}

/**
 * Returns the classes. Without a file of names they are those of the MOT challenge, or every class is the only label
 * of the task.
 */
async function classesOf(
  { zip, sequence }: SequenceSource,
  { target, run, note }: ImportIntake,
): Promise<Classes> {
  const names = await readLabels(zip, sequence)
  const known = target.labels.length === 1 ? target.labels.map(({ name }) => name) : (names ?? [])
  const [only, ...others] = known
  const usual = only !== undefined && others.length === 0 ? only : ''
  if (names) return { nameOf: nameFinder(names, usual, 'labels.txt') }
  if (usual === '' || (await hasOfficialClass(usual, zip, sequence, run)))
    return { nameOf: nameFinder(officialLabels, usual, noNames), origin: officialOrigin }
  const reason = `there is no gt/labels.txt: every class is read as '${usual}', the only label of the task`
  return {
    nameOf({ classId, location }) {
      if (classId !== undefined) note('converted', 'unlabelled', reason, location)
      return usual
    },
  }
}

const noNames = 'there is no gt/labels.txt, and the MOT challenge'

function nameFinder(names: readonly string[], usual: string, owner: string): Classes['nameOf'] {
  return ({ classId, location }) => {
    if (classId === undefined) return usual
    const name = names[classId - 1]
    if (name !== undefined) return name
    throw new FormatError(`class_id is ${classId}, ${owner} has ${names.length} labels`, location)
  }
}

/** Returns whether a label is a class of the MOT challenge and a row has the number of that class. */
async function hasOfficialClass(
  label: string,
  zip: ZipReader,
  { rows: entry }: MotSequence,
  { signal }: ConversionRun,
): Promise<boolean> {
  const id = officialLabels.indexOf(label) + 1
  if (id === 0) return false
  for await (const rows of rowsIn(zip, entry, () => signal.throwIfAborted()))
    if (rows.some(({ classId }) => classId === id)) return true
  return false
}

// ---- frames

function frameFinder(
  { frames, firstFrame = 0 }: SequenceSource,
  target: ImportTarget,
): MotImport['frameOf'] {
  const all = target.frames.frames
  return ({ frame, location }) => {
    const found = all[frames ? (frames.get(frame) ?? -1) : firstFrame + frame - 1]
    if (found) return found
    const reason =
      frame < 1
        ? `frame_id is ${frame}: frames are counted from 1, the file seems to count from 0`
        : `frame_id is ${frame}, there are ${all.length - firstFrame} frames`
    throw new FormatError(reason, location)
  }
}

/** Returns a function that gives the number in the file for a frame of the task. */
function numberOf({ frames, firstFrame = 0 }: SequenceSource): (frame: number) => number {
  if (!frames) return (frame) => frame - firstFrame + 1
  const numbers = new Map([...frames].map(([number, frame]) => [frame, number]))
  return (frame) => numbers.get(frame) ?? frame + 1
}

/**
 * Returns the frame of the task that a file counts as its first. Exports of tasks and of jobs count from the first
 * frame of the task. When no row reaches the target job, frames are counted from its first frame, as other tools do.
 */
async function findFirstFrame(
  zip: ZipReader,
  { rows: entry }: MotSequence,
  target: ImportTarget,
  run: ConversionRun,
): Promise<number> {
  const { first, last } = createIntake(target, run).range
  if (first === 0 || last < first) return 0
  let latest = 0
  for await (const rows of rowsIn(zip, entry, () => run.signal.throwIfAborted()))
    for (const { frame } of rows) latest = Math.max(latest, frame)
  if (latest === 0 || latest > first) return 0
  const reason = 'no row reaches the job: they are counted from its first frame'
  run.report.note('converted', 'frame-outside-job', reason, { file: entry.name })
  return first
}

function noteMismatch(info: SequenceInfo | undefined, { target, note }: ImportIntake): void {
  if (!info) return
  const { file, length, width, height } = info
  const { frames, includes } = target.frames
  const lengths = [frames.length, frames.filter(({ frame }) => includes(frame)).length]
  const [frame] = frames
  const tell = (reason: string) => note('skipped', 'ignored-file', reason, { file })
  if (length !== undefined && !lengths.includes(length))
    tell(`it tells of ${length} frames, there are ${frames.length}`)
  const size = `${width ?? frame?.width} x ${height ?? frame?.height}`
  if (frame && size !== `${frame.width} x ${frame.height}`)
    tell(`it tells of frames of ${size}, they are ${frame.width} x ${frame.height}`)
}

function progressOf({ rows }: MotSequence, run: ConversionRun): (bytes: number) => void {
  let done = 0
  return (bytes) => {
    run.signal.throwIfAborted()
    done += bytes
    run.progress(shareOf(done, rows.size))
  }
}
