/** Messages of conditions with placeholders in braces. Translations use the same values. */
export const CONDITION_MESSAGES = {
  "restart-needed":
    "{options} changed in the configuration file and need a restart. The daemon runs with the old values until then: restart it, or undo the change and run santinela reload.",
  "upstream-unreachable":
    "the dispatch centre {centre} {what}: {answer}. Records are queued and sent automatically.",
  "upstream-authentication-failed":
    "the dispatch centre {centre} {what}: {answer}. Records are queued and sent automatically. Correct upstream.email and the file of upstream.passwordFile, then run santinela reload.",
  "upstream-unexpected-service":
    "the dispatch centre {centre} {what}: {answer}. Records are queued and sent automatically.",
  "upstream-rejects-records":
    "records rejected by the dispatch centre: {rejected}; waiting for their objective there: {blocked}; deleted there or not accessible: {gone}. santinela sync status lists them.",
  "upstream-rejects-alarm":
    "high-priority records that the dispatch centre does not accept although it responds: {rejected}. Assume that no crew has been informed. Call the dispatch centre; santinela sync status lists the records with the reason.",
  "upstream-alarm-unproved":
    "alarms that the dispatch centre has not confirmed: {alarms}. Its list cannot be read completely or does not show them, so it is not known whether they arrived. Ask the dispatcher for intervention {interventionId} by name and time. If it is missing there: santinela sync retry {interventionId}.",
  "upstream-ids-given-again":
    "id {upstreamId} at the dispatch centre belonged to intervention {interventionId} and now belongs to another record. That record is not changed; the intervention is searched for there, and created again if it is not found. Ask the dispatch centre whether it was restored from a backup or reuses ids.",
  "upstream-reference-lost":
    "the dispatch centre stores {kept} of {sent} characters in {field} (intervention {interventionId}), without the site's reference: records are identified by objective, name and start only. Set upstream.marker to the other field (notes or description), or ask the dispatch centre to accept longer texts.",
  "upstream-notes-cut":
    "the dispatch centre stores {kept} of {sent} characters of the notes of intervention {interventionId}. Lost lines of a trip that has joined a record are sent in a record of their own. Ask the dispatch centre to accept longer notes.",
  "upstream-reference-shared":
    "the dispatch centre has records with the reference {siteRef} that this site did not create: {records} ({name}, id {upstreamId} there). Another daemon uses the same site.ref, and each imports the other's records. Give every site a unique site.ref.",
  "upstream-rejects-reports":
    "the dispatch centre {centre} rejects the reports of this site, {siteRef}: {answer}. Records are sent, but it will report this site as silent. If site.ref was changed, set it back, or ask the administrator of the dispatch centre for a new enrolment.",
  "upstream-not-compared":
    "the list of the dispatch centre has not been readable in full for a day ({code}): a record that is missing or exists twice there may not be noticed. Let the account of this site see only its own records, and ask the centre about its list.",
  "upstream-list-too-large":
    "the dispatch centre {centre} sends a list of more than {limitMb} MiB, which this device does not read. Alarms are sent, but records are not compared with the list, and one without a response cannot be found in it. Let the account of this site see only its own records, or ask the centre to send its list in pages (_start, _end).",
  "upstream-list-postponed":
    "the daemon ended twice while it read a large list of the dispatch centre {centre}. For an hour it reads no list of more than {limitMb} MiB; after that it reads them again by itself. Alarms are sent, but records are not compared with the list, and one without a response cannot be found in it. If this comes again, let the account of this site see only its own records, or ask the centre to send its list in pages (_start, _end).",
  "upstream-differs":
    "records expected at the dispatch centre: {here}; found: {there}; different: {differences}. santinela sync status lists them.",
  "objective-names-differ":
    "the dispatch centre has other names for objectives of zones (configuration ≠ dispatch centre): {objectives}. The same id may be another building there, and a crew would go to its address. Compare the addresses with the dispatch centre. Then correct the objective of the zones, or its name under objectives in the configuration.",
  "objective-missing":
    "the dispatch centre's list does not have objectives of zones: {objectives}. Trips of these zones wait here, and no crew is sent. Ask the centre to add the objective, or to let the account of this site use it, then run santinela objectives pull. If the id is wrong, correct the objective of the zones.",
  "objectives-mirror-stale": "the dispatch centre's list {type} {what}. {fallback} {remedy}",
  "monitoring-receiver-unreachable":
    "the monitoring receiver {receiver} does not reply: {reason}. Alarms go to the next receiver, or wait; retrying automatically. Check its address and port, the network and the firewall.",
  "monitoring-receiver-rejects":
    "the monitoring receiver {receiver} does not accept messages of this site: {answer}. Compare account and key with its operator; events are repeated until they are accepted.",
  "monitoring-receiver-supervision":
    "the monitoring receiver {receiver} accepts alarms, but rejects supervision messages (DUH). If its operator does not expect any, set pollS: 0 for this receiver.",
  "monitoring-receiver-clock":
    "the clock of the monitoring receiver {receiver} differs from this one by {seconds} s. Messages to it are sent with the receiver's time. Check the time of this machine (timedatectl); if it is correct, inform the operator of the receiver.",
  "transmitter-write-failed":
    "the queue for the monitoring receiver cannot be used: {reason}. Alarms wait in the trip journal. Free disk space or replace the disk.",
  "mqtt-unreachable":
    "the MQTT broker {broker} is not connected ({reason}). Check that it runs and that mqtt.url, username and passwordFile are correct; retrying every {seconds} s.",
  "mqtt-session-taken-over":
    "the MQTT broker closes every connection at once: most likely another program, or a copy of this installation, is connected as {clientId}. Give each a unique mqtt.clientId. The next attempt is in {minutes} minutes; until then no messages from this broker are received.",
  "mqtt-client-id-temporary":
    "the MQTT client id of this installation cannot be used: {reason}. A temporary one is used until the next start; what the broker queues for the stored one arrives only then. Correct the file or free disk space, then restart the daemon.",
  "mqtt-subscription-refused":
    "the broker denies this account read access to {topics}. Grant it, then restart the daemon.",
  "mqtt-retained-stale":
    "the broker retains an old message of {count} topics ({topics}), and newer ones are not retained. After each interruption it can trip or restore a zone, or arm it; it is not read as disarming. Remove it (mosquitto_pub -r -n -t {topic}), or let the device retain its messages.",
  "mqtt-topics-at-limit":
    "more than {max} topics of {of} were active at once, more than sensors have. What it reports, such as open or armed, no longer ends by messages. Find out which client publishes these topics (mqtt-topic-active in the log) and limit its account. Then give the zone or arming condition a narrower topic, or disable its zones, reload, and enable them again.",
  "mqtt-device-renamed":
    "the sensor of zone {zone} is now called {name} at its bridge: nothing arrives on {topic}, and the zone is not monitored. Set the topic of the zone to {newTopic}, or give the sensor its former name again.",
  "mqtt-device-removed":
    "the bridge of zone {zone} no longer has a sensor for {topic}: it was removed from the network, or has another name. The zone is not monitored. Let the sensor join again under its former name, correct the topic of the zone, or remove the zone.",
  "alarm-panel-receiver-down":
    "{address} cannot be opened: {reason}. Messages of alarm panels are not received. Correct dc09.host and dc09.port, or stop the program that uses the port; retrying every 10 s.",
  "alarm-panel-silent":
    "alarm panel {account} has sent nothing for {seconds} s, not even its supervision message. Check its power, its network and the address of its receiver.",
  "alarm-panel-refused":
    "nothing from alarm panel {account} was accepted for {seconds} s: messages or connections from its address were rejected at a limit of the receiver ({limits}). The alarm panel sends again. Find the sender of many connections or messages; /usr/share/doc/santinela/docs/panels.md has the limits.",
  "alarm-panel-trouble":
    "alarm panel {account} reports the fault {code}, zone or module {number}. /usr/share/doc/santinela/docs/panels.md lists the codes.",
  "alarm-panel-bypass":
    "zone {number} is bypassed at alarm panel {account} (code {code}): the alarm panel sends no alarms of this zone. Remove the bypass there.",
  "alarm-panel-code-unknown":
    'alarm panel {account} has sent the code {code}, which is not in the standard. It is recorded in the event log only. Ask the manufacturer for its meaning; to make it an alarm, add a zone with codes: ["{code}"].',
  "gpio-line-unstable":
    "line {line} changes more than {edges} times a second: a loose wire, a failing contact, or interference. It is polled every {pollMs} ms; edge detection resumes automatically.",
  "key-switch-unstable":
    "the key switch on line {line} changes without keeping a position: interference, a loose wire, or a failing contact. Its zones are armed until it has kept one for five seconds. Check its terminals, its cable and the pull-up.",
  "loop-out-of-range":
    "the loop of zone {zone} measures {ohms} Ω, outside the bands of normal ({normal} Ω), alarm ({alarm} Ω), short circuit and cut wire. Its contact is not monitored. Check its resistors, terminals and cable, and pullUp and supplyV; santinela zones list shows the value.",
  "on-battery":
    "mains power has been lost since {since}. The machine powers off before its battery is empty, as configured in onBattery; zones are not monitored from then on.",
  "power-off-failed":
    "mains power is lost, and the machine cannot be powered off: {reason}. The daemon runs until the battery is empty. Allow the user of the daemon to power off, as described in /usr/share/doc/santinela/docs/wiring.md.",
  "output-failed":
    "output {output} cannot be switched: {reason}. Retrying every five seconds; santinela outputs list shows the state.",
  "journal-write-failed":
    "the trip journal cannot be written: {reason}. Free disk space or replace the disk.",
  "outbox-write-failed": "the outbox cannot be used: {reason}. Free disk space or replace the disk.",
  "trip-refused": "the trip of zone {zone} was rejected: {reason}. Check the zone's objective.",
  "zone-open":
    "zone {zone} has been open since {since}, and no open intervention contains it. Return its contact to normal, or bypass the zone.",
  "data-lost":
    "{database} was damaged: {missing} entries are missing, {altered} differ from what was written, {pages} pages cannot be read ({named}). Compare them with the dispatch centre, check the disk, then remove {report}.",
  "trips-off-disk":
    "{changes} trips and zone changes are in {file}, in memory only, because the journal cannot be written ({reason}). A power cut loses them. They are stored as soon as it can be written: if the disk is full, free space; if it fails, replace it; if the file is locked, end the other process; if it is damaged, the daemon restarts itself and recovers it.",
  "disk-nearly-full":
    "{freeMb} MB is free on the disk of {folder}. Remove unneeded files; quarantine/ has {quarantineMb} MB.",
  "disk-full":
    "{freeMb} MB is free on the disk of {folder}. Below 16 MB new records of low and medium priority are rejected; alarms are stored. Remove unneeded files.",
  "database-damaged":
    "{problem}. What is on the damaged pages cannot be read. The daemon restarts itself within ten minutes, recovers what it can, and sends the trips again. If this message stays, restart the daemon. Check the disk.",
  "storage-volatile":
    "{folder} is on {fileSystem}, which is in memory: records, trips and accounts are lost at the next boot or power cut. Turn off the overlay file system (raspi-config), or set dataDir to a folder on a disk.",
  "configuration-volatile":
    "{folder} is on {fileSystem}, which is in memory: changed zones, passwords and an enrolment at the dispatch centre are lost at the next boot or power cut. Turn off the overlay file system (raspi-config), or mount this folder from a disk.",
  "machine-unknown":
    "the data of this site was created on another machine. New keys were created, and nothing is sent to the dispatch centre: report alarms to it by telephone meanwhile. If this machine replaces the other one: santinela machine confirm. If the card was copied for another site, set its own site.ref, stop the service and run santinela factory-reset.",
  "release-returned":
    "release {version} failed soon after its installation; the previous release runs again. journalctl --unit=santinela --unit=santinela-centre shows the reason. Install a newer release. To try the same one again: apt install --reinstall santinela.",
  "backup-overdue":
    "no backup of the database has been made since {since}. Run santinela backup to find the reason.",
  "sites-silent":
    "{sites} sites have stopped reporting at the same time. Look for a common cause first: the network provider, or the link of this dispatch centre. Each has an intervention with low priority; santinela sites lists them.",
  "silent-sites-unknown":
    "this dispatch centre has been missing reports since {since}, so it cannot tell which sites are silent. Find out why a process or the database is restarted or overloaded (santinela status, journalctl --unit=santinela --unit=santinela-centre).",
  "configurations-differ":
    "another process of this dispatch centre has other values of {options}. What applies to a site or a record then depends on the process that it reaches. Make centre.yaml the same on all servers, and restart each process.",
  "site-writes-limited":
    "the site {site} writes more records than a site needs, so some of its requests are rejected for a while; the others are not affected. Find out why (santinela sites). If its device was stolen, disable its account: santinela user disable.",
  "database-unavailable":
    "no primary server of the shared database of this dispatch centre can be reached: {reason}. Requests receive 503, and sites retry. Operation resumes automatically. Check PostgreSQL and the path to it.",
  "thread-failed":
    "the thread {thread} has failed: {reason}. It is started again automatically, and trips are kept until it runs. If it fails again and again, alarms reach the dispatch centre late: report them to it by telephone. Send a support bundle (santinela support-bundle) to the developers.",
  "clock-not-set":
    "the time of this machine is not confirmed: no time server has answered, and there is no real-time clock with the same time. Until then interventions have no start, and zones with a schedule are armed all the time. Check the network and the time server (timedatectl timesync-status), or add a battery to the real-time clock. Without a time server, set the clock and the real-time clock (timedatectl set-time), or disable the time service.",
  "certificate-not-renewed":
    "the certificate is valid until {until} and has not been renewed. With tls: own run santinela cert; otherwise renew the files of http.tls.",
  "key-damaged":
    "{file} was damaged. It is kept as {kept}, and a new one was created. If it is ca.key or ca.crt, install the new certificate authority on each device (santinela cert --ca); if it is token-signing.key, all users must sign in again. Then remove {kept}.",
  "certificate-incomplete":
    "the certificate authority of this installation may not certify {names}; browsers do not trust the web panel under these names. Use another name, or run santinela cert --new-authority and install the new authority on each device.",
} as const satisfies Readonly<Record<string, string>>;

/** Codes of the conditions that have such a message. */
export type SentenceCode = keyof typeof CONDITION_MESSAGES;
