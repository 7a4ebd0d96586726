import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createShape } from '@reticle/formats/importing/intake'
import { expect, onTestFinished, test } from 'vitest'
import { defaultValues, labelsOf } from './labels.ts'
import { createSpool } from './spool.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reticle-spool-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const shape = (frame: number, z_order: number) =>
  createShape({ type: 'rectangle', frame, label_id: 1, points: [0, 0, 9, 9], z_order })

test('objects are returned by frame, within a frame in insertion order, at every read', async () => {
  const dir = folder()
  const spool = createSpool(dir, new AbortController().signal)
  const count = 100_000 // several runs
  for (let at = 0; at < count; at += 1)
    await spool.add({ kind: 'shape', shape: shape((at * 7919) % 100, at) })
  await spool.add({ kind: 'tag', tag: { ...shape(3, 0), attributes: [] } })
  const read = await spool.seal()
  expect(readdirSync(dir).filter((name) => name.startsWith('shapes')).length).toBeGreaterThan(1)
  for (let times = 0; times < 2; times += 1) {
    const { shapes, tags } = read()
    let [last, seen] = [{ frame: 0, z_order: -1 }, 0]
    for await (const batch of shapes)
      for (const { frame, z_order } of batch) {
        const isNext = frame > last.frame || (frame === last.frame && z_order > last.z_order)
        if (!isNext) expect({ frame, z_order }).toBe('behind the one before')
        last = { frame, z_order }
        seen += 1
      }
    expect(seen).toBe(count)
    const all = []
    for await (const batch of tags) all.push(...batch)
    expect(all).toMatchObject([{ frame: 3 }])
  }
})

test('objects that arrive in order stay in one file', async () => {
  const dir = folder()
  const spool = createSpool(dir, new AbortController().signal)
  for (let at = 0; at < 80_000; at += 1)
    await spool.add({ kind: 'shape', shape: shape(Math.floor(at / 8), at) })
  await spool.seal()
  expect(readdirSync(dir).filter((name) => name.startsWith('shapes'))).toHaveLength(1)
})

test('a missing attribute value is the default of the label', () => {
  const labels = labelsOf([
    {
      name: 'car',
      attributes: [
        { name: 'parked', input_type: 'checkbox', mutable: false, values: [] },
        { name: 'color', input_type: 'select', mutable: false, values: ['red', 'blue'] },
        { name: 'plate', input_type: 'text', mutable: false, values: [] },
      ],
    },
  ])
  const [label] = labels
  const [parked, color, plate] = label?.attributes ?? []
  const complete = defaultValues(labels)
  const given = { ...shape(0, 0), label_id: label?.id ?? 0 }
  const attributes = [{ spec_id: color?.id ?? 0, value: 'blue' }]
  expect(complete({ kind: 'shape', shape: { ...given, attributes } })).toMatchObject({
    shape: {
      attributes: [
        { spec_id: color?.id, value: 'blue' },
        { spec_id: parked?.id, value: 'false' },
        { spec_id: plate?.id, value: '' },
      ],
    },
  })
})

test.runIf(existsSync('/dev/full'))('a full disk is told of, with the file', async () => {
  const dir = folder()
  symlinkSync('/dev/full', join(dir, 'shapes-0'))
  const spool = createSpool(dir, new AbortController().signal)
  await spool.add({ kind: 'shape', shape: shape(0, 0) })
  const full = { code: 'ENOSPC', path: join(dir, 'shapes-0') }
  await expect(spool.seal()).rejects.toMatchObject(full)
})
