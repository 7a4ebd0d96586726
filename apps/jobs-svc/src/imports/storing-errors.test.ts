import { factsOf, frameOf, labelOf } from '@reticle/contracts/testing/records'
import { DomainError } from '@reticle/kit'
import { expect, test } from 'vitest'
import { importWork, runOf, testStore, uploadFile } from '../testing/run.ts'
import { authorityOf, bytesAnswer, jsonLinesOf, servicesOf } from '../testing/services.ts'
import { failureOf } from '../work/failure.ts'
import { importAnnotations } from './import-annotations.ts'

/** A refusal to store annotations is translated to file, picture, label and attribute. */

const store = await testStore()
const color = {
  id: 7,
  name: 'color',
  mutable: false,
  input_type: 'select' as const,
  default_value: 'red',
  values: ['red', 'blue'],
}
const facts = factsOf({ size: 2, jobs: [{ id: 31, start_frame: 0, stop_frame: 1 }] })
const labels = [labelOf({ id: 4, name: 'car', attributes: [color] })]

/** Returns the message of an import whose objects are refused when they are stored. */
async function refused(values: string[], refusal: DomainError): Promise<string> {
  const boxes = values.map(
    (value, at) =>
      `<image id="${at}" name="${at}.png"><box label="car" xtl="1" ytl="1" xbr="9" ybr="9"><attribute name="color">${value}</attribute></box></image>`,
  )
  const text = `<annotations>${boxes.join('')}</annotations>`
  const services = servicesOf({
    tasks: authorityOf([{ target: 'task', id: 1, user_id: 1, facts }]),
    labels: { getLabelSet: async () => ({ labels_revision: 1, labels }) },
    media: {
      readFrames: async () =>
        bytesAnswer(jsonLinesOf(values.map((_, at) => frameOf({ name: `${at}.png` })))),
    },
    annotations: {
      writeRows: async ({ body }) => {
        for await (const _ of body);
        throw refusal
      },
    },
  })
  const file = await uploadFile(store.blobs, 'up.xml', text)
  const work = importWork({ format: 'Service 1.1', file })
  const thrown: unknown = await importAnnotations(work, await runOf(store, services)).catch(
    (one: unknown) => one,
  )
  return failureOf(thrown).message
}

const refusal = (code: string, body: unknown) =>
  new DomainError('invalid', 'Invalid annotations.', { code, body })
const ofValue = refusal('attribute_value_invalid', {
  shapes: [{}, { attributes: [{ value: ['"green" is not allowed for spec_id 7'] }] }],
})

test('a value outside the list is named with its position in the file', async () => {
  expect(await refused(['red', 'green'], ofValue)).toMatch(
    /^up\.xml: image 1\.png: attribute "color" of label 'car' is "green", expected one of "red", "blue" at line 1$/,
  )
})

test('a refused value that the importer accepts is named by picture, label and attribute', async () => {
  expect(await refused(['red', 'blue'], ofValue)).toBe(
    `up.xml: picture 1.png: shape of label 'car': attributes.value: "green" is not allowed for attribute 'color'`,
  )
})

test.each([
  [{ shapes: [{ points: ["invalid length for shape type 'rectangle'"] }] }, 'points: invalid'],
  [['shapes[0].points: beyond the frame'], 'points: beyond the frame'],
  [['shapes[0]: another fault'], 'another fault'],
])('the refusal %j is named by its picture and label', async (body, text) => {
  const message = await refused(['red'], refusal('points_invalid', body))
  expect(message).toMatch(/^up\.xml: picture 0\.png: shape of label 'car': /)
  expect(message).toContain(text)
  expect(message).not.toMatch(/\[\d+\]/)
})

test('a label that was deleted during the import is not named by its id', async () => {
  const deleted = refusal('label_invalid', ['label_id `4` is invalid'])
  expect(await refused(['red'], deleted)).toBe(
    'The labels changed while the file was read. Import the file again',
  )
})

test('other refusals are unchanged', async () => {
  const conflict = new DomainError('conflict', 'Somebody else changed it.')
  expect(await refused(['green'], conflict)).toBe('Somebody else changed it.')
})
