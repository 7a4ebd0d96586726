import { ApiError } from '@reticle/sdk'
import { expect } from 'vitest'
import { bucketOf } from '../../support/buckets.ts'
import { createImage } from '../../support/pictures.ts'
import type { SdkWorld } from './world.ts'

/** Calls the operations of the server, cloud storages and webhooks, each once, and the removed endpoints. */

export async function checkServer({ admin, anyone }: SdkWorld): Promise<void> {
  expect((await anyone.getAbout()).version).toBe('2.58.1')
  expect(await anyone.getHealth()).toMatchObject({ DatabaseBackend: 'working' })
  await anyone.getCapabilities()
  expect(await (await anyone.getSchema({ scheme: 'json' })).json()).toMatchObject({
    openapi: '3.1.1',
  })
  expect((await anyone.getDocs()).headers.get('content-type')).toMatch('text/html')
  expect((await anyone.getSwagger()).headers.get('content-type')).toMatch('text/html')
  expect(await anyone.getUserAgreements()).toEqual([])
  await admin.getPlugins()
  await admin.getLimits()
  expect(await admin.listShare()).toEqual([])
  expect((await admin.listFormats()).exporters.length).toBeGreaterThan(10)
  await admin.listFormatLosses()
}

export async function checkStorages({ admin, buckets }: SdkWorld): Promise<void> {
  const { bytes } = await createImage('a.png', 8, 8)
  const { id } = await admin.createCloudStorage({
    body: bucketOf(buckets, 'raw', { 'a.png': bytes }),
  })
  expect((await admin.listCloudStorages({ id })).count).toBe(1)
  await admin.getCloudStorage({ id })
  await admin.updateCloudStorage({ id, body: { description: 'raw frames' } })
  expect(await admin.getCloudStorageStatus({ id })).toBe('AVAILABLE')
  await admin.getCloudStorageActions({ id })
  const { content } = await admin.listCloudStorageContent({ id })
  expect(content.map(({ name }) => name)).toEqual(['a.png'])
  expect((await admin.getCloudStoragePreview({ id })).status).toBe(200)
  const listing = admin.getCloudStorageContent({ id })
  await expect(listing).rejects.toMatchObject({ status: 410 })
  await admin.deleteCloudStorage({ id })
}

/** An address without a listener: deliveries fail and can then be read. */
const nowhere = 'http://127.0.0.1:9/'

export async function checkWebhooks({ admin }: SdkWorld): Promise<void> {
  const project = await admin.createProject({ body: { name: 'heard' } })
  const settings = { target_url: nowhere, events: 'update:project' }
  const { id } = await admin.createWebhook({
    body: { ...settings, type: 'project', project_id: project.id, secret: 's' },
  })
  expect((await admin.listWebhooks({ project_id: project.id })).count).toBe(1)
  expect((await admin.listWebhookEvents({ type: 'project' })).events).toContain('update:project')
  await admin.getWebhook({ id })
  await admin.updateWebhook({ id, body: { description: 'mine' } })
  await admin.replaceWebhook({ id, body: settings })
  await admin.rotateWebhookSecret({ id, body: { secret: 'next', overlap_hours: 1 } })
  await admin.pingWebhook({ id })
  const deliveries = () => admin.listDeliveries({ id })
  await expect.poll(async () => (await deliveries()).count).toBeGreaterThan(0)
  const delivery_id = (await deliveries()).results[0]?.id ?? 0
  await admin.getDelivery({ id, delivery_id })
  await admin.redeliver({ id, delivery_id })
  const { results } = await admin.listWebhookMessages({ id, after: 0 })
  expect(results[0]?.sequence).toBe(1)
  await admin.redeliverMessages({ id, body: { from: 1, to: 1 } })
  await admin.deleteWebhook({ id })
}

export async function checkWithdrawnOperations({ admin }: SdkWorld): Promise<void> {
  const calls = [
    ...[admin.getProjectDataset, admin.getProjectBackup, admin.getProjectAnnotations],
    ...[admin.getTaskDataset, admin.getTaskBackup, admin.getJobDataset],
  ]
  for (const call of calls) {
    const failure = await call({ id: 1 }).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ status: 410 })
  }
}
