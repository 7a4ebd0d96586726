import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import {
  foundWorkspace,
  invitation,
  invitationAccepted,
  invitationCreate,
  invitationList,
  invitationParams,
  membership,
  membershipList,
  membershipPatch,
  membershipRemoval,
  organization,
  organizationCreate,
  organizationList,
  organizationPatch,
  organizationRemoval,
  organizationTransfer,
  workspaceQuery,
} from '../rest/organizations.ts'
import { defineOperations, del, get, internal, patch, post } from './operation.ts'

export const organizations = defineOperations('OrganizationService', {
  listOrganizations: get('/organizations', {
    query: organizationList,
    answers: { 200: page(organization, 'OrganizationPage') },
  }),
  createOrganization: post('/organizations', {
    body: organizationCreate,
    etag: 'date',
    answers: { 201: organization },
  }),
  getOrganization: get('/organizations/:id', {
    params: idParams,
    etag: 'date',
    answers: { 200: organization },
  }),
  updateOrganization: patch('/organizations/:id', {
    params: idParams,
    headers: ifMatch,
    body: organizationPatch,
    etag: 'date',
    answers: { 200: organization },
  }),
  deleteOrganization: del('/organizations/:id', {
    params: idParams,
    query: organizationRemoval,
    headers: ifMatch,
    busy: { target: 'organization' },
    answers: { 204: nothing },
    summary: 'Delete an organization; its projects and tasks move to their owners or are deleted',
  }),
  transferOrganization: post('/organizations/:id/transfer', {
    params: idParams,
    body: organizationTransfer,
    etag: 'date',
    answers: { 200: organization },
    summary: 'Make another member the owner',
  }),

  listMemberships: get('/memberships', {
    query: membershipList,
    answers: { 200: page(membership, 'MembershipPage') },
  }),
  getMembership: get('/memberships/:id', {
    params: idParams,
    etag: 'content',
    answers: { 200: membership },
  }),
  updateMembership: patch('/memberships/:id', {
    params: idParams,
    headers: ifMatch,
    body: membershipPatch,
    etag: 'content',
    answers: { 200: membership },
  }),
  deleteMembership: del('/memberships/:id', {
    params: idParams,
    query: membershipRemoval,
    headers: ifMatch,
    answers: { 204: nothing },
    summary: 'Leave an organization, or remove a member',
  }),

  listInvitations: get('/invitations', {
    query: invitationList,
    answers: { 200: page(invitation, 'InvitationPage') },
  }),
  createInvitation: post('/invitations', {
    body: invitationCreate,
    answers: { 201: invitation },
    summary: 'Invite a user to the organization of the request',
  }),
  getInvitation: get('/invitations/:key', {
    params: invitationParams,
    answers: { 200: invitation },
  }),
  acceptInvitation: post('/invitations/:key/accept', {
    params: invitationParams,
    answers: { 200: invitationAccepted },
  }),
  declineInvitation: post('/invitations/:key/decline', {
    params: invitationParams,
    answers: { 204: nothing },
  }),
  resendInvitation: post('/invitations/:key/resend', {
    limit: 'hourly',
    params: invitationParams,
    answers: { 204: nothing },
    summary: 'Send an invitation again, with a new expiry date',
  }),
  deleteInvitation: del('/invitations/:key', {
    params: invitationParams,
    answers: { 204: nothing },
  }),

  findWorkspace: internal({ query: workspaceQuery, answers: { 200: foundWorkspace } }),
})
