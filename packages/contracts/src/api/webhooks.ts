import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { partFacts } from '../rest/server.ts'
import {
  delivery,
  deliveryList,
  deliveryParams,
  webhook,
  webhookCreate,
  webhookList,
  webhookPatch,
  webhookPut,
} from '../rest/webhooks.ts'
import { del, get, internal, operations, patch, post, put } from './operation.ts'

export const webhooks = operations('WebhookService', {
  listWebhooks: get('/webhooks', {
    query: webhookList,
    answers: { 200: page(webhook, 'WebhookPage') },
  }),
  createWebhook: post('/webhooks', { body: webhookCreate, answers: { 201: webhook } }),
  getWebhook: get('/webhooks/:id', { params: idParams, answers: { 200: webhook } }),
  updateWebhook: patch('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    body: webhookPatch,
    answers: { 200: webhook },
  }),
  replaceWebhook: put('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    body: webhookPut,
    answers: { 200: webhook },
  }),
  deleteWebhook: del('/webhooks/:id', {
    params: idParams,
    headers: ifMatch,
    answers: { 204: nothing },
  }),
  /** What this service allows at most. */
  describe: internal({ answers: { 200: partFacts } }),
  listDeliveries: get('/webhooks/:id/deliveries', {
    params: idParams,
    query: deliveryList,
    answers: { 200: page(delivery, 'DeliveryPage') },
  }),
  getDelivery: get('/webhooks/:id/deliveries/:delivery_id', {
    params: deliveryParams,
    answers: { 200: delivery },
  }),
})
