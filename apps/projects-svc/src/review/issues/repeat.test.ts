import { guides as guideTable } from '@reticle/contracts/api/guides'
import { issues as issueTable } from '@reticle/contracts/api/issues'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { losingAnswers } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { handlers } from '../../server.ts'
import { createUploader, keysIn, pdfFile } from '../../testing/assets.ts'
import { addReview } from '../../testing/review.ts'
import { testWorkspace } from '../../testing/workspace.ts'

/** Effects of repeated calls over a network that loses the first response to every change. */

const { db, blobs, addUser, over, takeEvents } = await testWorkspace()
const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })
const issues = await losingAnswers(issueTable, all.issues)
const guides = await losingAnswers(guideTable, all.guides)
const anna = await addUser()
const typesOf = async () => (await takeEvents()).map(({ type }) => type)

test('issues and comments are created, changed and deleted once', async () => {
  const { job } = await addReview(over('in-process'), anna)
  await takeEvents()
  const body = { job, frame: 0, position: [1, 2], message: 'm' }
  const made = await issues.createIssue({ body }, anna.call)
  expect(made).toEqual(await issues.getIssue({ id: made.id }, anna.call))
  const resolved = await issues.updateIssue({ id: made.id, body: { resolved: true } }, anna.call)
  expect(resolved).toMatchObject({ resolved: true, comments: { count: 1 } })
  const values = { issue: made.id, message: 'old' }
  const comment = await issues.createComment({ body: values }, anna.call)
  const changed = { id: comment.id, body: { message: 'new' } }
  expect(await issues.updateComment(changed, anna.call)).toMatchObject({ message: 'new' })
  await issues.deleteComment({ id: comment.id }, anna.call)
  await issues.deleteIssue({ id: made.id }, anna.call)
  expect(await typesOf()).toEqual([
    'create:issue',
    'create:comment',
    'update:issue',
    'create:comment',
    'update:comment',
    'delete:comment',
    'delete:issue',
  ])
})

test('an asset is created once, from the uploaded file', async () => {
  const { project_id } = await addReview(over('in-process'), anna)
  const { id } = await guides.createGuide({ body: { project_id } }, anna.call)
  const made = await createUploader({ guides }, blobs)(id, pdfFile, anna.call)
  const { rows } = await sql`select uuid from assets`.execute(db)
  expect(rows).toEqual([{ uuid: made.uuid }])
  const { key } = await guides.getAssetFile({ uuid: made.uuid }, anna.call)
  expect((await keysIn(blobs)).filter((one) => one.includes('/assets/'))).toEqual([key])
  await guides.deleteAsset({ uuid: made.uuid }, anna.call)
})

test('a guide is created, changed and deleted once', async () => {
  const { project_id } = await addReview(over('in-process'), anna)
  const made = await guides.createGuide({ body: { project_id, markdown: 'old' } }, anna.call)
  const changed = { id: made.id, body: { markdown: 'new' } }
  expect(await guides.updateGuide(changed, anna.call)).toMatchObject({ markdown: 'new' })
  await guides.deleteGuide({ id: made.id }, anna.call)
  const removed = guides.getGuide({ id: made.id }, anna.call)
  await expect(removed).rejects.toMatchObject({ kind: 'not_found' })
})
