import { server } from '@reticle/contracts/api/server'
import { callAs } from '@reticle/kit/testing/call'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { expect, test } from 'vitest'
import { aboutHandlers } from './server.ts'
import { settingsOf } from './testing/settings.ts'

/** This service's part of `/server/limits`, `/server/capabilities` and `/server/share`. */

const nobody = callAs(null)
const settings = settingsOf({ queuedPerUser: 7 })

test.each(transports)('over %s the limits are those of the settings', async (transport) => {
  const { describe } = overTransport(transport, server, aboutHandlers({ settings }))
  const { limits, features, media, image_types } = await describe({}, nobody)
  expect(limits).toMatchObject({
    queued_requests_per_user: 7,
    queued_requests_per_tenant: 10_000,
    archive_bytes: 107_374_182_400,
    request_seconds: 14_400,
    request_wait_seconds: 30,
    request_streams_per_user: 20,
    request_waits_per_user: 50,
    pdf_bytes: 536_870_912,
    pdf_pages: 10_000,
    pdf_page_pixels: 67_108_864,
  })
  expect(features).toEqual({ share: false })
  expect(media).toEqual(['image', 'zip', 'pdf', 'archive'])
  expect(image_types).toEqual(['jpeg', 'png', 'gif', 'tiff', 'webp', 'avif', 'bmp'])
})

test.each(transports)('over %s the capabilities name the video decoder', async (transport) => {
  const video = { about: { adapter: 'node-av', version: '8.1' } } as const
  const facts = (given: { video?: typeof video }) =>
    overTransport(transport, server, aboutHandlers({ settings, ...given })).describe({}, nobody)
  const images = ['image', 'zip', 'pdf', 'archive']
  const [without, with_] = [await facts({}), await facts({ video })]
  expect([without.media, without.video_decoder]).toEqual([images, undefined])
  expect([with_.media, with_.video_decoder]).toEqual([[...images, 'video'], 'node-av'])
  expect(with_.limits).toMatchObject({ video_pixels: 35_651_584, video_frames: 10_000_000 })
  expect(Object.keys(without.limits)).not.toContain('video_pixels')
})

test.each(transports)('over %s a share is reported and can be listed', async (transport) => {
  const shareDir = new URL('./storage/share', import.meta.url).pathname
  const handlers = aboutHandlers({ settings: settingsOf({ shareDir }) })
  const { describe, readShare } = overTransport(transport, server, handlers)
  expect((await describe({}, nobody)).features).toEqual({ share: true })
  const { entries } = await readShare({ search: 'pol' }, callAs({ user_id: 1 }))
  expect(entries).toEqual([{ name: 'policy.ts', type: 'REG', mime_type: 'unknown' }])
})
