import { afterAll, describe, expect } from 'vitest'
import { attachSystem } from '../support/reticle.ts'
import { startSplit } from '../support/split.ts'

/** The end-to-end tests on the split system: two gateways, two workers, real Kafka, MinIO and PostgreSQL. */
const split = await startSplit('stories', { env: { RETICLE_WEBHOOKS_RETRY_SECONDS: '1,1' } })
attachSystem(split)
afterAll(async () => {
  const codes = Object.entries(await split.stop())
  expect(codes.filter(([, code]) => code !== 0)).toEqual([])
})

const stories = {
  isolation: () => import('../e2e/isolation.test.ts'),
  permissions: () => import('../e2e/acceptance/permissions.test.ts'),
  'the main job': () => import('../e2e/main-job.test.ts'),
  'COCO archives': () => import('../e2e/coco-archives.test.ts'),
  'cloud storages': () => import('../e2e/acceptance/storages.test.ts'),
  'files in cloud storages': () => import('../e2e/acceptance/cloud-files.test.ts'),
  'changes of labels': () => import('../e2e/label-changes.test.ts'),
  exports: () => import('../e2e/acceptance/exports.test.ts'),
  imports: () => import('../e2e/acceptance/imports.test.ts'),
  'imports into projects': () => import('../e2e/acceptance/imports-projects.test.ts'),
  requests: () => import('../e2e/acceptance/requests.test.ts'),
  'cancelled requests': () => import('../e2e/acceptance/cancel.test.ts'),
  backups: () => import('../e2e/acceptance/backups.test.ts'),
  tokens: () => import('../e2e/acceptance/token-rights.test.ts'),
  'a large set': () => import('../e2e/large-set.test.ts'),
  workspaces: () => import('../e2e/acceptance/workspaces.test.ts'),
  'every route': () => import('../e2e/walk.test.ts'),
  review: () => import('../e2e/acceptance/review.test.ts'),
  'the README': () => import('../e2e/readme.test.ts'),
  uploads: () => import('../e2e/acceptance/uploads.test.ts'),
  'reading media': () => import('../e2e/acceptance/media-reading.test.ts'),
  videos: () => import('../e2e/acceptance/media-video.test.ts'),
  PDFs: () => import('../e2e/acceptance/media-pdf.test.ts'),
  'repeated calls': () => import('../e2e/acceptance/retries.test.ts'),
  webhooks: () => import('../e2e/acceptance/webhooks.test.ts'),
  'webhooks: events': () => import('../e2e/webhook-events.test.ts'),
  'webhooks: scopes': () => import('../e2e/webhooks/scopes.test.ts'),
  'webhooks: payloads': () => import('../e2e/webhooks/payloads.test.ts'),
  'webhooks: effects': () => import('../e2e/webhooks/effects.test.ts'),
  'webhooks: people': () => import('../e2e/webhooks/people.test.ts'),
  'webhooks: moves': () => import('../e2e/webhooks/moves.test.ts'),
}
for (const [name, runStory] of Object.entries(stories)) {
  describe(name, async () => {
    await runStory()
  })
}
