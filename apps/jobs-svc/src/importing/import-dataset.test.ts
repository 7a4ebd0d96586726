import { decodeFrames } from '@reticle/contracts/frame-lines'
import { decodeRows, decodeShape } from '@reticle/contracts/row-lines'
import { factsOf, labelOf } from '@reticle/contracts/testing/records'
import { conflict } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import type { OperationDeps } from '../operations/operation.ts'
import type { ImportDatasetWork } from '../requests/work.ts'
import { archiveOf, png } from '../testing/archive.ts'
import { importDatasetWork, runOf, testStore, upload } from '../testing/run.ts'
import { authorityOf, servicesOf } from '../testing/services.ts'
import { importDataset } from './import-dataset.ts'

/** What is asked of other services, in order; that nothing is left is tested from outside (`tests/e2e/acceptance`). */

const store = await testStore()
const facts = factsOf({ target: 'project', project_id: 7, task_id: null, size: 0, jobs: [] })
let calls: [string, object][] = []
let broken: string | undefined
const note = (name: string, given: object): undefined => {
  calls.push([name, given])
  if (name === broken) throw conflict('no')
}

const labels = [labelOf({ id: 40, name: 'car' })]
const services = servicesOf({
  tasks: {
    ...authorityOf([{ target: 'project', id: 7, user_id: 1, facts }]),
    openDraft: async ({ body }) => {
      note('open', body)
      return { project_id: 7, labels_revision: 2, labels }
    },
    addDraftTask: async ({ name, subset }) => {
      note('task', { name, subset })
      return { task_id: calls.length }
    },
    publishDraft: async (given) => {
      note('publish', given)
      return { project_id: 7, task_ids: [] }
    },
    dropDraft: async (given) => note('drop', given),
  },
  labels: { getLabelSet: async () => ({ labels_revision: 1, labels: [] }) },
  media: {
    attachMedia: async ({ body, task_id }) => {
      const frames = []
      for await (const batch of decodeFrames(body)) frames.push(...batch)
      note('media', { task_id, names: frames.map(({ name }) => name) })
      return { size: frames.length, jobs: 1 }
    },
  },
  annotations: {
    writeRows: async ({ body, id, mode, dry_run }) => {
      const shapes = []
      for await (const rows of decodeRows(body))
        for (const row of rows) shapes.push(decodeShape(row.columns).frame)
      note('rows', { id, mode, dry_run, shapes })
      return { tags: 0, shapes: shapes.length, tracks: 0, duplicates: 0 }
    },
  },
})

beforeEach(() => {
  calls = []
  broken = undefined
})

const instances = (images: string[], image_id = 1) =>
  JSON.stringify({
    images: images.map((file_name, index) => ({ id: index + 1, file_name })),
    categories: [{ id: 1, name: 'car' }],
    annotations: [
      { id: 1, image_id, category_id: 1, bbox: [1, 2, 3, 4], attributes: { wet: true } },
    ],
  })

async function work(given: Partial<ImportDatasetWork['params']> = {}) {
  const zip = await archiveOf({
    'annotations/instances_train.json': instances(['a.png', 'b.png'], 2),
    'annotations/instances_val.json': instances(['a.png']),
    'images/train/a.png': await png(8, 6),
    'images/train/b.png': await png(4, 4),
    'images/val/a.png': await png(8, 6),
  })
  return importDatasetWork({ file: await upload(store.blobs, 'set.zip', zip), ...given })
}

const named = () => calls.map(([name]) => name)

test('each subset becomes a task of a draft, which is published at the end', async () => {
  const keptFor: number[] = []
  const keepForTask: OperationDeps['keepForTask'] = async (id) => {
    keptFor.push(id)
  }
  const asked = await work()
  const run = await runOf(store, services, { keepForTask })

  const outcome = await importDataset(asked, run)

  const wet = { name: 'wet', input_type: 'checkbox', mutable: false, values: [] }
  const into = { mode: 'replace', dry_run: false }
  expect(calls).toMatchObject([
    ['open', { project_id: 7, labels: [{ name: 'car', attributes: [wet] }] }],
    ['task', { name: 'train', subset: 'train' }],
    ['media', { task_id: 2, names: ['a.png', 'b.png'] }],
    ['rows', { id: 2, ...into, shapes: [1] }],
    ['task', { name: 'val', subset: 'val' }],
    ['media', { task_id: 5, names: ['a.png'] }],
    ['rows', { id: 5, ...into, shapes: [0] }],
    ['publish', { call_id: asked.request_uuid }],
    ['drop', {}],
  ])
  expect(keptFor).toEqual([2, 5])
  expect(outcome.report?.created).toEqual({ tags: 0, shapes: 2, tracks: 0 })
  expect(run.told.slice(-2)).toEqual(['Storing annotations of val', 'final'])
})

test.each(['media', 'rows', 'publish'])('where %s fails, the draft is dropped', async (name) => {
  broken = name
  await expect(importDataset(await work(), await runOf(store, services))).rejects.toThrow('no')
  expect(named().slice(-2)).toEqual([name, 'drop'])
})

test('a dry run does all of it, and publishes nothing', async () => {
  const run = await runOf(store, services)
  const { report } = await importDataset(await work({ dry_run: true }), run)
  expect(report?.created.shapes).toBe(2)
  expect(named().slice(-2)).toEqual(['rows', 'drop'])
  expect(run.told).not.toContain('final')
})

test('one that was cancelled is dropped all the same', async () => {
  const stop = new AbortController()
  const enterFinal = async () => {
    stop.abort()
    stop.signal.throwIfAborted()
  }
  const run = await runOf(store, services, { signal: stop.signal, enterFinal })
  await expect(importDataset(await work(), run)).rejects.toThrow()
  expect(named().slice(-2)).toEqual(['rows', 'drop'])
})
