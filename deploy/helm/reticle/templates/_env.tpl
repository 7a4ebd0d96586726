{{/* One variable from a secret. Arguments: name, secret, key */}}
{{- define "reticle.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
{{- end }}

{{/* The environment of one process. Arguments: root, name, app */}}
{{- define "reticle.env" -}}
{{- $values := .root.Values -}}
{{- $keys := include "reticle.keysSecret" .root -}}
{{- $settings := include "reticle.settings" . | fromYaml -}}
{{- range $key := keys $settings | sortAlpha }}
- name: {{ $key }}
  value: {{ get $settings $key | quote }}
{{- end }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_INTERNAL_KEYS" "secret" $keys "key" "internal-keys") }}
{{- with .app.database }}
{{ include "reticle.databaseUrl" (dict "root" $.root "database" . "role" "") }}
{{- end }}
{{- if .app.secretKeys }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_SECRET_KEYS" "secret" $keys "key" "secret-keys") }}
{{- end }}
{{- if eq .name "projects" }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_ADMIN_PASSWORD" "secret" $keys "key" "admin-password") }}
{{- end }}
{{- if and .app.mail $values.mail.existingSecret }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_PROJECTS_SMTP_URL" "secret" $values.mail.existingSecret "key" "smtp-url") }}
{{- end }}
{{- if and (include "reticle.goesOut" .app) $values.egressProxy.existingSecret }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_EGRESS_PROXY" "secret" $values.egressProxy.existingSecret "key" "url") }}
{{- end }}
{{- if .app.s3 }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_S3_ACCESS_KEY" "secret" $values.s3.existingSecret "key" "access-key") }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_S3_SECRET_KEY" "secret" $values.s3.existingSecret "key" "secret-key") }}
{{- end }}
{{- if and .app.kafka $values.kafka.sasl.mechanism }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_KAFKA_SASL_USERNAME" "secret" $values.kafka.sasl.existingSecret "key" "username") }}
{{ include "reticle.fromSecret" (dict "name" "RETICLE_KAFKA_SASL_PASSWORD" "secret" $values.kafka.sasl.existingSecret "key" "password") }}
{{- end }}
{{- end }}

{{/* The address of a role of a schema: the one that reads and writes rows, or with "OWNER" the one that migrates. Arguments: root, database, role */}}
{{- define "reticle.databaseUrl" -}}
{{- $name := list "RETICLE" .database .role "DATABASE_URL" | compact | join "_" -}}
{{- $key := list .database .role | compact | join "-" | lower -}}
{{ include "reticle.fromSecret" (dict "name" $name "secret" .root.Values.database.existingSecret "key" $key) }}
{{- end }}

{{/* Settings without secrets, as a map; `settings` of the process in values.yaml override them. Arguments: root, name, app */}}
{{- define "reticle.settings" -}}
{{- $values := .root.Values -}}
{{- $all := include "reticle.commonSettings" . | fromYaml -}}
{{- $own := get $values .app.values -}}
{{- range .app.calls }}
{{- $host := printf "%s-%s-headless.%s.svc" (include "reticle.fullname" $.root) . $.root.Release.Namespace -}}
{{- $_ := set $all (printf "RETICLE_%s_ADDRESS" (upper .)) (printf "dns:///%s:50051" $host) -}}
{{- end }}
{{- if .app.kafka }}{{ $all = merge $all (include "reticle.kafkaSettings" .root | fromYaml) }}{{ end }}
{{- if .app.s3 }}{{ $all = merge $all (include "reticle.s3Settings" .root | fromYaml) }}{{ end }}
{{- if and .app.share $values.share.existingClaim }}
{{- $_ := set $all "RETICLE_SHARE_DIR" "/var/share" -}}
{{- end }}
{{- if eq .name "gateway" }}
{{- $isBehindProxy := or $values.ingress.enabled $values.httpRoute.enabled -}}
{{- $_ := set $all "RETICLE_PORT" "8080" -}}
{{- $_ := set $all "RETICLE_S3_PRESIGN" (toString $values.s3.presign) -}}
{{- $_ := set $all "RETICLE_GATEWAY_TRUST_PROXY" (ternary "1" "0" $isBehindProxy) -}}
{{- end }}
{{- if eq .name "projects" }}
{{- $_ := set $all "RETICLE_ADMIN_USERNAME" $values.admin.username -}}
{{- $_ := set $all "RETICLE_ADMIN_EMAIL" $values.admin.email -}}
{{- end }}
{{- if .app.mail }}
{{- with $values.uiUrl }}{{ $_ := set $all "RETICLE_UI_URL" . }}{{ end }}
{{- with $values.mail.from }}{{ $_ := set $all "RETICLE_PROJECTS_MAIL_FROM" . }}{{ end }}
{{- end }}
{{- if and .app.storages $values.storages.allowedNets }}
{{- $_ := set $all "RETICLE_STORAGES_ALLOWED_NETS" (join "," $values.storages.allowedNets) -}}
{{- end }}
{{- if and .app.remote $values.remoteFiles.allowedNets }}
{{- $_ := set $all "RETICLE_JOBS_ALLOWED_NETS" (join "," $values.remoteFiles.allowedNets) -}}
{{- end }}
{{- if eq .name "jobs-worker" }}
{{- $_ := set $all "RETICLE_JOBS_SLOTS" (toString $values.jobsWorker.slots) -}}
{{- end }}
{{- range $key, $value := $own.settings }}
{{- /* Numbers are floats here, and large ones would be written with an exponent. */}}
{{- $isNumber := kindIs "float64" $value -}}
{{- $_ := set $all $key ($isNumber | ternary ($value | int64 | toString) (toString $value)) -}}
{{- end }}
{{- $all | toYaml }}
{{- end }}

{{/* Settings of every process. Arguments: root, name, app */}}
{{- define "reticle.commonSettings" -}}
{{- $values := .root.Values -}}
RETICLE_HOST: 0.0.0.0
RETICLE_METRICS_PORT: "9464"
RETICLE_LOG_LEVEL: {{ $values.log.level }}
RETICLE_LOG_FORMAT: json
# preStop has already waited until callers use other pods.
RETICLE_DRAIN_SECONDS: "0"
{{- if .app.serves }}
RETICLE_GRPC_PORT: "50051"
{{- end }}
{{- with and .app.links $values.publicUrl }}
RETICLE_PUBLIC_URL: {{ . }}
{{- end }}
{{- with $values.telemetry.endpoint }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ . }}
{{- end }}
{{- if $values.tls.existingSecret }}
RETICLE_TLS_CERT: /etc/reticle/tls/tls.crt
RETICLE_TLS_KEY: /etc/reticle/tls/tls.key
RETICLE_TLS_CA: /etc/reticle/tls/ca.crt
{{- end }}
{{- end }}

{{- define "reticle.kafkaSettings" -}}
RETICLE_KAFKA_BROKERS: {{ join "," .Values.kafka.brokers }}
RETICLE_KAFKA_SSL: {{ .Values.kafka.ssl | quote }}
{{- with .Values.kafka.sasl.mechanism }}
RETICLE_KAFKA_SASL_MECHANISM: {{ . }}
{{- end }}
{{- end }}

{{- define "reticle.s3Settings" -}}
RETICLE_S3_ENDPOINT: {{ .Values.s3.endpoint }}
RETICLE_S3_BUCKET: {{ .Values.s3.bucket }}
RETICLE_S3_REGION: {{ .Values.s3.region }}
{{- end }}
