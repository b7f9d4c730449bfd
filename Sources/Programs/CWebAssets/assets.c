#include "CWebAssets.h"

// The files under Public/ become part of the program: it can be moved and still serves its pages. So do the
// scripts of the refresh machine, from beside its sources.
// Each file is named once here; Scripts/check-assets compares this list with the folders.

#define ASSET(identifier)                                                                          \
  { identifier##_name, identifier##_bytes, sizeof(identifier##_bytes) }

static const char index_html_name[] = "index.html";
static const unsigned char index_html_bytes[] = {
#embed "Public/index.html"
};

static const char absent_html_name[] = "absent.html";
static const unsigned char absent_html_bytes[] = {
#embed "Public/absent.html"
};

static const char jobs_html_name[] = "jobs.html";
static const unsigned char jobs_html_bytes[] = {
#embed "Public/jobs.html"
};

static const char workspaces_html_name[] = "workspaces.html";
static const unsigned char workspaces_html_bytes[] = {
#embed "Public/workspaces.html"
};

static const char board_css_name[] = "board.css";
static const unsigned char board_css_bytes[] = {
#embed "Public/board.css"
};

static const char diagnostics_css_name[] = "diagnostics.css";
static const unsigned char diagnostics_css_bytes[] = {
#embed "Public/diagnostics.css"
};

static const char modes_css_name[] = "modes.css";
static const unsigned char modes_css_bytes[] = {
#embed "Public/modes.css"
};

static const char page_css_name[] = "page.css";
static const unsigned char page_css_bytes[] = {
#embed "Public/page.css"
};

static const char sheets_css_name[] = "sheets.css";
static const unsigned char sheets_css_bytes[] = {
#embed "Public/sheets.css"
};

static const char work_css_name[] = "work.css";
static const unsigned char work_css_bytes[] = {
#embed "Public/work.css"
};

static const char address_js_name[] = "address.js";
static const unsigned char address_js_bytes[] = {
#embed "Public/address.js"
};

static const char age_plot_js_name[] = "age-plot.js";
static const unsigned char age_plot_js_bytes[] = {
#embed "Public/age-plot.js"
};

static const char announcer_js_name[] = "announcer.js";
static const unsigned char announcer_js_bytes[] = {
#embed "Public/announcer.js"
};

static const char api_js_name[] = "api.js";
static const unsigned char api_js_bytes[] = {
#embed "Public/api.js"
};

static const char content_digest_js_name[] = "content-digest.js";
static const unsigned char content_digest_js_bytes[] = {
#embed "../../../JavaScript/freshness/content-digest.js"
};

static const char arrival_js_name[] = "arrival.js";
static const unsigned char arrival_js_bytes[] = {
#embed "../../../JavaScript/freshness/arrival.js"
};

static const char banners_js_name[] = "banners.js";
static const unsigned char banners_js_bytes[] = {
#embed "Public/banners.js"
};

static const char board_answer_js_name[] = "board-answer.js";
static const unsigned char board_answer_js_bytes[] = {
#embed "Public/board-answer.js"
};

static const char board_question_js_name[] = "board-question.js";
static const unsigned char board_question_js_bytes[] = {
#embed "Public/board-question.js"
};

static const char board_stream_js_name[] = "board-stream.js";
static const unsigned char board_stream_js_bytes[] = {
#embed "Public/board-stream.js"
};

static const char clock_js_name[] = "clock.js";
static const unsigned char clock_js_bytes[] = {
#embed "../../../JavaScript/freshness/clock.js"
};

static const char colours_js_name[] = "colours.js";
static const unsigned char colours_js_bytes[] = {
#embed "Public/colours.js"
};

static const char departure_js_name[] = "departure.js";
static const unsigned char departure_js_bytes[] = {
#embed "Public/departure.js"
};

static const char device_js_name[] = "device.js";
static const unsigned char device_js_bytes[] = {
#embed "../../../JavaScript/freshness/device.js"
};

static const char diagnostics_view_js_name[] = "diagnostics-view.js";
static const unsigned char diagnostics_view_js_bytes[] = {
#embed "../../../JavaScript/freshness/diagnostics-view.js"
};

static const char diagnostics_js_name[] = "diagnostics.js";
static const unsigned char diagnostics_js_bytes[] = {
#embed "Public/diagnostics.js"
};

static const char dom_js_name[] = "dom.js";
static const unsigned char dom_js_bytes[] = {
#embed "Public/dom.js"
};

static const char emptiness_js_name[] = "emptiness.js";
static const unsigned char emptiness_js_bytes[] = {
#embed "Public/emptiness.js"
};

static const char event_stream_js_name[] = "event-stream.js";
static const unsigned char event_stream_js_bytes[] = {
#embed "../../../JavaScript/freshness/event-stream.js"
};

static const char favourites_js_name[] = "favourites.js";
static const unsigned char favourites_js_bytes[] = {
#embed "Public/favourites.js"
};

static const char filter_sheet_js_name[] = "filter-sheet.js";
static const unsigned char filter_sheet_js_bytes[] = {
#embed "Public/filter-sheet.js"
};

static const char freshness_line_js_name[] = "freshness-line.js";
static const unsigned char freshness_line_js_bytes[] = {
#embed "Public/freshness-line.js"
};

static const char keys_js_name[] = "keys.js";
static const unsigned char keys_js_bytes[] = {
#embed "Public/keys.js"
};

static const char origin_gate_js_name[] = "origin-gate.js";
static const unsigned char origin_gate_js_bytes[] = {
#embed "../../../JavaScript/freshness/origin-gate.js"
};

static const char rate_limit_js_name[] = "rate-limit.js";
static const unsigned char rate_limit_js_bytes[] = {
#embed "../../../JavaScript/freshness/rate-limit.js"
};

static const char live_board_js_name[] = "live-board.js";
static const unsigned char live_board_js_bytes[] = {
#embed "Public/live-board.js"
};

static const char marks_js_name[] = "marks.js";
static const unsigned char marks_js_bytes[] = {
#embed "../../../JavaScript/freshness/marks.js"
};

static const char memory_js_name[] = "memory.js";
static const unsigned char memory_js_bytes[] = {
#embed "Public/memory.js"
};

static const char moments_js_name[] = "moments.js";
static const unsigned char moments_js_bytes[] = {
#embed "Public/moments.js"
};

static const char next_question_js_name[] = "next-question.js";
static const unsigned char next_question_js_bytes[] = {
#embed "../../../JavaScript/freshness/next-question.js"
};

static const char page_js_name[] = "page.js";
static const unsigned char page_js_bytes[] = {
#embed "Public/page.js"
};

static const char pane_js_name[] = "pane.js";
static const unsigned char pane_js_bytes[] = {
#embed "Public/pane.js"
};

static const char rows_js_name[] = "rows.js";
static const unsigned char rows_js_bytes[] = {
#embed "Public/rows.js"
};

static const char sample_record_js_name[] = "sample-record.js";
static const unsigned char sample_record_js_bytes[] = {
#embed "../../../JavaScript/freshness/sample-record.js"
};

static const char saved_board_js_name[] = "saved-board.js";
static const unsigned char saved_board_js_bytes[] = {
#embed "Public/saved-board.js"
};

static const char search_js_name[] = "search.js";
static const unsigned char search_js_bytes[] = {
#embed "Public/search.js"
};

static const char service_worker_js_name[] = "service-worker.js";
static const unsigned char service_worker_js_bytes[] = {
#embed "Public/service-worker.js"
};

static const char trip_js_name[] = "trip.js";
static const unsigned char trip_js_bytes[] = {
#embed "Public/trip.js"
};

static const char views_js_name[] = "views.js";
static const unsigned char views_js_bytes[] = {
#embed "Public/views.js"
};

static const char words_de_js_name[] = "words-de.js";
static const unsigned char words_de_js_bytes[] = {
#embed "Public/words-de.js"
};

static const char words_en_js_name[] = "words-en.js";
static const unsigned char words_en_js_bytes[] = {
#embed "Public/words-en.js"
};

static const char words_fr_js_name[] = "words-fr.js";
static const unsigned char words_fr_js_bytes[] = {
#embed "Public/words-fr.js"
};

static const char words_it_js_name[] = "words-it.js";
static const unsigned char words_it_js_bytes[] = {
#embed "Public/words-it.js"
};

static const char words_js_name[] = "words.js";
static const unsigned char words_js_bytes[] = {
#embed "Public/words.js"
};

static const char action_sheet_js_name[] = "action-sheet.js";
static const unsigned char action_sheet_js_bytes[] = {
#embed "Public/action-sheet.js"
};

static const char book_list_js_name[] = "book-list.js";
static const unsigned char book_list_js_bytes[] = {
#embed "Public/book-list.js"
};

static const char diff_sheet_js_name[] = "diff-sheet.js";
static const unsigned char diff_sheet_js_bytes[] = {
#embed "Public/diff-sheet.js"
};

static const char failed_rows_js_name[] = "failed-rows.js";
static const unsigned char failed_rows_js_bytes[] = {
#embed "Public/failed-rows.js"
};

static const char job_api_js_name[] = "job-api.js";
static const unsigned char job_api_js_bytes[] = {
#embed "Public/job-api.js"
};

static const char job_card_js_name[] = "job-card.js";
static const unsigned char job_card_js_bytes[] = {
#embed "Public/job-card.js"
};

static const char job_follower_js_name[] = "job-follower.js";
static const unsigned char job_follower_js_bytes[] = {
#embed "Public/job-follower.js"
};

static const char job_messages_js_name[] = "job-messages.js";
static const unsigned char job_messages_js_bytes[] = {
#embed "Public/job-messages.js"
};

static const char job_problems_js_name[] = "job-problems.js";
static const unsigned char job_problems_js_bytes[] = {
#embed "Public/job-problems.js"
};

static const char job_results_js_name[] = "job-results.js";
static const unsigned char job_results_js_bytes[] = {
#embed "Public/job-results.js"
};

static const char job_run_js_name[] = "job-run.js";
static const unsigned char job_run_js_bytes[] = {
#embed "Public/job-run.js"
};

static const char job_start_js_name[] = "job-start.js";
static const unsigned char job_start_js_bytes[] = {
#embed "Public/job-start.js"
};

static const char problem_words_de_js_name[] = "problem-words-de.js";
static const unsigned char problem_words_de_js_bytes[] = {
#embed "Public/problem-words-de.js"
};

static const char problem_words_en_js_name[] = "problem-words-en.js";
static const unsigned char problem_words_en_js_bytes[] = {
#embed "Public/problem-words-en.js"
};

static const char problem_words_fr_js_name[] = "problem-words-fr.js";
static const unsigned char problem_words_fr_js_bytes[] = {
#embed "Public/problem-words-fr.js"
};

static const char problem_words_it_js_name[] = "problem-words-it.js";
static const unsigned char problem_words_it_js_bytes[] = {
#embed "Public/problem-words-it.js"
};

static const char jobs_js_name[] = "jobs.js";
static const unsigned char jobs_js_bytes[] = {
#embed "Public/jobs.js"
};

static const char live_resource_js_name[] = "live-resource.js";
static const unsigned char live_resource_js_bytes[] = {
#embed "../../../JavaScript/freshness/live-resource.js"
};

static const char resource_stream_js_name[] = "resource-stream.js";
static const unsigned char resource_stream_js_bytes[] = {
#embed "../../../JavaScript/freshness/resource-stream.js"
};

static const char agent_reason_js_name[] = "agent-reason.js";
static const unsigned char agent_reason_js_bytes[] = {
#embed "Public/agent-reason.js"
};

static const char notices_js_name[] = "notices.js";
static const unsigned char notices_js_bytes[] = {
#embed "Public/notices.js"
};

static const char omission_list_js_name[] = "omission-list.js";
static const unsigned char omission_list_js_bytes[] = {
#embed "Public/omission-list.js"
};

static const char restore_list_js_name[] = "restore-list.js";
static const unsigned char restore_list_js_bytes[] = {
#embed "Public/restore-list.js"
};

static const char token_form_js_name[] = "token-form.js";
static const unsigned char token_form_js_bytes[] = {
#embed "Public/token-form.js"
};

static const char visit_memory_js_name[] = "visit-memory.js";
static const unsigned char visit_memory_js_bytes[] = {
#embed "Public/visit-memory.js"
};

static const char work_page_js_name[] = "work-page.js";
static const unsigned char work_page_js_bytes[] = {
#embed "Public/work-page.js"
};

static const char work_words_de_js_name[] = "work-words-de.js";
static const unsigned char work_words_de_js_bytes[] = {
#embed "Public/work-words-de.js"
};

static const char work_words_en_js_name[] = "work-words-en.js";
static const unsigned char work_words_en_js_bytes[] = {
#embed "Public/work-words-en.js"
};

static const char work_words_fr_js_name[] = "work-words-fr.js";
static const unsigned char work_words_fr_js_bytes[] = {
#embed "Public/work-words-fr.js"
};

static const char work_words_it_js_name[] = "work-words-it.js";
static const unsigned char work_words_it_js_bytes[] = {
#embed "Public/work-words-it.js"
};

static const char workspace_api_js_name[] = "workspace-api.js";
static const unsigned char workspace_api_js_bytes[] = {
#embed "Public/workspace-api.js"
};

static const char workspace_list_js_name[] = "workspace-list.js";
static const unsigned char workspace_list_js_bytes[] = {
#embed "Public/workspace-list.js"
};

static const char workspace_source_js_name[] = "workspace-source.js";
static const unsigned char workspace_source_js_bytes[] = {
#embed "Public/workspace-source.js"
};

static const char workspace_stream_js_name[] = "workspace-stream.js";
static const unsigned char workspace_stream_js_bytes[] = {
#embed "Public/workspace-stream.js"
};

static const char workspaces_js_name[] = "workspaces.js";
static const unsigned char workspaces_js_bytes[] = {
#embed "Public/workspaces.js"
};

static const char worktree_card_js_name[] = "worktree-card.js";
static const unsigned char worktree_card_js_bytes[] = {
#embed "Public/worktree-card.js"
};

static const char freshness_messages_js_name[] = "freshness-messages.js";
static const unsigned char freshness_messages_js_bytes[] = {
#embed "../../../JavaScript/freshness/freshness-messages.js"
};

static const char freshness_words_js_name[] = "freshness-words.js";
static const unsigned char freshness_words_js_bytes[] = {
#embed "../../../JavaScript/freshness/freshness-words.js"
};

static const char freshness_js_name[] = "freshness.js";
static const unsigned char freshness_js_bytes[] = {
#embed "../../../JavaScript/freshness/freshness.js"
};

static const char freshness_wasm_name[] = "freshness.wasm";
static const unsigned char freshness_wasm_bytes[] = {
#embed "../../../JavaScript/freshness/freshness.wasm"
};

static const char icon_maskable_svg_name[] = "icon-maskable.svg";
static const unsigned char icon_maskable_svg_bytes[] = {
#embed "Public/icon-maskable.svg"
};

static const char icon_svg_name[] = "icon.svg";
static const unsigned char icon_svg_bytes[] = {
#embed "Public/icon.svg"
};

static const char manifest_webmanifest_name[] = "manifest.webmanifest";
static const unsigned char manifest_webmanifest_bytes[] = {
#embed "Public/manifest.webmanifest"
};

static const char openapi_jobs_json_name[] = "openapi-jobs.json";
static const unsigned char openapi_jobs_json_bytes[] = {
#embed "Public/openapi-jobs.json"
};

static const char openapi_json_name[] = "openapi.json";
static const unsigned char openapi_json_bytes[] = {
#embed "Public/openapi.json"
};

static const char openapi_workspaces_json_name[] = "openapi-workspaces.json";
static const unsigned char openapi_workspaces_json_bytes[] = {
#embed "Public/openapi-workspaces.json"
};

static const FreshetWebAsset assets[] = {
  ASSET(index_html),
  ASSET(absent_html),
  ASSET(jobs_html),
  ASSET(workspaces_html),
  ASSET(board_css),
  ASSET(diagnostics_css),
  ASSET(modes_css),
  ASSET(page_css),
  ASSET(sheets_css),
  ASSET(work_css),
  ASSET(address_js),
  ASSET(age_plot_js),
  ASSET(announcer_js),
  ASSET(api_js),
  ASSET(arrival_js),
  ASSET(content_digest_js),
  ASSET(banners_js),
  ASSET(board_answer_js),
  ASSET(board_question_js),
  ASSET(board_stream_js),
  ASSET(clock_js),
  ASSET(colours_js),
  ASSET(departure_js),
  ASSET(device_js),
  ASSET(diagnostics_js),
  ASSET(diagnostics_view_js),
  ASSET(dom_js),
  ASSET(emptiness_js),
  ASSET(event_stream_js),
  ASSET(favourites_js),
  ASSET(filter_sheet_js),
  ASSET(freshness_line_js),
  ASSET(keys_js),
  ASSET(live_board_js),
  ASSET(marks_js),
  ASSET(memory_js),
  ASSET(moments_js),
  ASSET(next_question_js),
  ASSET(origin_gate_js),
  ASSET(page_js),
  ASSET(pane_js),
  ASSET(rate_limit_js),
  ASSET(rows_js),
  ASSET(sample_record_js),
  ASSET(saved_board_js),
  ASSET(search_js),
  ASSET(service_worker_js),
  ASSET(trip_js),
  ASSET(views_js),
  ASSET(words_de_js),
  ASSET(words_en_js),
  ASSET(words_fr_js),
  ASSET(words_it_js),
  ASSET(words_js),
  ASSET(action_sheet_js),
  ASSET(book_list_js),
  ASSET(diff_sheet_js),
  ASSET(failed_rows_js),
  ASSET(job_api_js),
  ASSET(job_card_js),
  ASSET(job_follower_js),
  ASSET(job_messages_js),
  ASSET(job_problems_js),
  ASSET(job_results_js),
  ASSET(job_run_js),
  ASSET(job_start_js),
  ASSET(problem_words_de_js),
  ASSET(problem_words_en_js),
  ASSET(problem_words_fr_js),
  ASSET(problem_words_it_js),
  ASSET(jobs_js),
  ASSET(live_resource_js),
  ASSET(resource_stream_js),
  ASSET(agent_reason_js),
  ASSET(notices_js),
  ASSET(omission_list_js),
  ASSET(restore_list_js),
  ASSET(token_form_js),
  ASSET(visit_memory_js),
  ASSET(work_page_js),
  ASSET(work_words_de_js),
  ASSET(work_words_en_js),
  ASSET(work_words_fr_js),
  ASSET(work_words_it_js),
  ASSET(workspace_api_js),
  ASSET(workspace_list_js),
  ASSET(workspace_source_js),
  ASSET(workspace_stream_js),
  ASSET(workspaces_js),
  ASSET(worktree_card_js),
  ASSET(freshness_messages_js),
  ASSET(freshness_words_js),
  ASSET(freshness_js),
  ASSET(freshness_wasm),
  ASSET(icon_maskable_svg),
  ASSET(icon_svg),
  ASSET(manifest_webmanifest),
  ASSET(openapi_jobs_json),
  ASSET(openapi_json),
  ASSET(openapi_workspaces_json),
};

const FreshetWebAsset *freshet_web_assets(void) { return assets; }

size_t freshet_web_asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }
