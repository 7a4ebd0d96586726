{{/* The restricted pod security standard, for every pod of the chart. */}}
{{- define "reticle.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "reticle.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* The memory limit equals the request; processor time has no limit, which would only delay answers. Arguments: cpu, memory */}}
{{- define "reticle.resources" -}}
resources:
  requests:
    cpu: {{ .cpu | quote }}
    memory: {{ .memory | quote }}
  limits:
    memory: {{ .memory | quote }}
{{- end }}

{{/* Arguments: root, name, app */}}
{{- define "reticle.probes" -}}
{{- $grpc := and .app.serves (not .root.Values.tls.existingSecret) -}}
startupProbe:
  {{- include "reticle.probe" (dict "grpc" $grpc "path" "/startupz") | nindent 2 }}
  periodSeconds: 2
  failureThreshold: 60
  timeoutSeconds: 3
readinessProbe:
  {{- include "reticle.probe" (dict "grpc" $grpc "path" "/readyz") | nindent 2 }}
  periodSeconds: 5
  failureThreshold: 2
  timeoutSeconds: 3
livenessProbe:
  {{- /* gRPC health depends on the database, which a restart of the pod would not repair */}}
  {{- include "reticle.probe" (dict "grpc" false "path" "/healthz") | nindent 2 }}
  periodSeconds: 10
  failureThreshold: 6
  timeoutSeconds: 5
{{- end }}

{{/* gRPC probes of the kubelet do not support TLS. Arguments: grpc, path */}}
{{- define "reticle.probe" -}}
{{- if .grpc -}}
grpc:
  port: 50051
{{- else -}}
httpGet:
  path: {{ .path }}
  port: metrics
{{- end }}
{{- end }}

{{/* Arguments: root, name, own */}}
{{- define "reticle.scheduling" -}}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "reticle.selector" $ | nindent 8 }}
  {{- end }}
{{- with .own.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Changes with the secrets of the pod, so that the next upgrade restarts it. */}}
{{- define "reticle.secretsChecksum" -}}
{{- $root := . -}}
{{- $seen := list (include "reticle.generatedKeys" .) -}}
{{- $names := list .Values.keys.existingSecret .Values.database.existingSecret .Values.s3.existingSecret .Values.tls.existingSecret -}}
{{- $names = concat $names (list .Values.mail.existingSecret .Values.egressProxy.existingSecret .Values.authorities.existingSecret) -}}
{{- if .Values.kafka.sasl.mechanism }}{{ $names = append $names .Values.kafka.sasl.existingSecret }}{{ end -}}
{{- range compact $names }}
{{- $found := lookup "v1" "Secret" $root.Release.Namespace . -}}
{{- $seen = append $seen (get $found "data" | toJson) -}}
{{- end }}
{{- join "\n" $seen | sha256sum }}
{{- end }}

{{/* Additional certificate authorities that Node.js trusts besides the public ones. Argument: the root, here and below */}}
{{- define "reticle.authoritiesMount" -}}
{{- if .Values.authorities.existingSecret -}}
- name: authorities
  mountPath: /etc/reticle/authorities
  readOnly: true
{{- end }}
{{- end }}

{{- define "reticle.authoritiesVolume" -}}
{{- with .Values.authorities.existingSecret -}}
- name: authorities
  secret:
    secretName: {{ . }}
    defaultMode: 288 # 0440: the group of the pod reads it
{{- end }}
{{- end }}

{{- define "reticle.authoritiesEnv" -}}
{{- if .Values.authorities.existingSecret -}}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/reticle/authorities/ca.crt
{{- end }}
{{- end }}
